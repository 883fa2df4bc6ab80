/** Time stamps of signatures (RFC 3161): tokens of CMS (RFC 5652), whose authority says when something was signed. */
import { joined } from "../../joined.ts";
import { isSame } from "../../same.ts";
import { TooMuch, Unreadable } from "./cbor.ts";
import { type Anchors, type Certificate, isTrusted, isValidAt, mayStamp, readCertificate } from "./certificate.ts";
import { childOf, type Element, momentOf, oidOf, readDer, TAG } from "./der.ts";
import type { Hasher } from "./hashing.ts";
import { MAX_CERTIFICATES } from "./limits.ts";
import { hashNamed, isSigned } from "./signatures.ts";

const SIGNED_DATA = "1.2.840.113549.1.7.2";
const TIME_STAMP = "1.2.840.113549.1.9.16.1.4";
const MESSAGE_DIGEST = "1.2.840.113549.1.9.4";
const EXPLICIT = 0xa0;

export interface TimeStamp {
  /** Milliseconds since 1970. */
  readonly moment: number;
  /** The authority's certificate leads to an anchor. */
  readonly trusted: boolean;
}

/**
 * The moment of a time stamp whose signature is right and that is about the data; undefined where it is not.
 * @param token a token, or the answer of an authority that has one
 * @throws Unreadable where it takes more to find out than any time stamp
 */
export async function verifyTimeStamp(
  token: Uint8Array,
  data: Uint8Array,
  anchors: Anchors,
  hasher: Hasher,
): Promise<TimeStamp | undefined> {
  try {
    return await verified(readDer(token, hasher.elements), data, anchors, hasher);
  } catch (error) {
    if (error instanceof Unreadable && !(error instanceof TooMuch)) return undefined;
    throw error;
  }
}

/** The token in the answer of an authority (RFC 3161, 2.4.2). @throws Unreadable */
function tokenIn(answer: Element): Element {
  const [first, second] = answer.children;
  if (first?.tag === TAG.oid) return answer;
  if (!second) throw new Unreadable("no time stamp");
  return second;
}

/** The token in the bytes of an authority's answer; undefined where it was refused. */
export function tokenOf(answer: Uint8Array): Uint8Array | undefined {
  try {
    return tokenIn(readDer(answer)).whole;
  } catch (error) {
    if (error instanceof Unreadable) return undefined;
    throw error;
  }
}

async function verified(answer: Element, data: Uint8Array, anchors: Anchors, hasher: Hasher) {
  const token = tokenIn(answer);
  if (oidOf(childOf(token, 0)) !== SIGNED_DATA) return undefined;
  const [, , encapsulated, ...rest] = childOf(childOf(token, 1), 0).children;
  if (!encapsulated || oidOf(childOf(encapsulated, 0)) !== TIME_STAMP) return undefined;
  const content = octetsOf(childOf(childOf(encapsulated, 1), 0));
  const [, , imprint, , time] = readDer(content, hasher.elements).children;
  if (!imprint || !time) return undefined;
  const imprinted = digest(childOf(childOf(imprint, 0), 0), [data], hasher);
  if (!imprinted || !isSame(imprinted, childOf(imprint, 1).content)) return undefined;
  const certificates = (rest.find(({ tag }) => tag === EXPLICIT)?.children ?? [])
    .slice(0, MAX_CERTIFICATES)
    .filter(({ tag }) => tag === TAG.sequence)
    .map(({ whole }) => readCertificate(whole, hasher.elements));
  const moment = momentOf(time);
  for (const signer of rest.find(({ tag }) => tag === TAG.set)?.children ?? []) {
    const certificate = await signerOf(signer, content, certificates, hasher);
    if (!certificate || !mayStamp(certificate) || !isValidAt(certificate, moment)) continue;
    return { moment, trusted: await isTrusted(certificate, certificates, { anchors, moment, hasher }) };
  }
  return undefined;
}

/** The certificate of who has signed the content; undefined where nobody has. */
async function signerOf(
  signer: Element,
  content: Uint8Array,
  certificates: readonly Certificate[],
  hasher: Hasher,
): Promise<Certificate | undefined> {
  const [, id, hashAlgorithm, ...rest] = signer.children;
  if (!id || !hashAlgorithm) return undefined;
  const attributes = rest[0]?.tag === EXPLICIT ? rest[0] : undefined;
  const [algorithm, signature] = rest.slice(attributes ? 1 : 0);
  const [issuer, serial] = id.children;
  const certificate = certificates.find(
    (one) => issuer && serial && isSame(one.issuer.whole, issuer.whole) && isSame(one.serial, serial.content),
  );
  if (!certificate || !algorithm || !signature) return undefined;
  const hashOid = childOf(hashAlgorithm, 0);
  const stated = attributes?.children.find(({ children: [oid] }) => oid && oidOf(oid) === MESSAGE_DIGEST)?.children[1];
  const found = digest(hashOid, [content], hasher);
  if (attributes && (!stated || !found || !isSame(childOf(stated, 0).content, found))) return undefined;
  // Signed as a set, whatever the tag says that they stand under.
  const signed = attributes ? joined([Uint8Array.of(TAG.set), attributes.whole.subarray(1)]) : content;
  hasher.countSignature(signed.length);
  const isRight = await isSigned(algorithm, certificate.key, signed, signature.content, hashNamed(oidOf(hashOid)));
  return isRight ? certificate : undefined;
}

function digest(oid: Element, pieces: readonly Uint8Array[], hasher: Hasher): Uint8Array | undefined {
  const name = hashNamed(oidOf(oid));
  return name && hasher.hash(name.replace("-", "").toLowerCase(), pieces);
}

function octetsOf({ tag, content, children }: Element): Uint8Array {
  return tag === TAG.octets ? content : joined(children.map(octetsOf));
}
