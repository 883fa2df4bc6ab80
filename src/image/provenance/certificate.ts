/** X.509 certificates (RFC 5280): what they say, whether they may sign manifests (C2PA 2.2, 14.5), and who issued them. */
import { isSame } from "../../same.ts";
import { type Count, Unreadable } from "./cbor.ts";
import { bitsOf, childOf, type Element, momentOf, oidOf, readDer, TAG } from "./der.ts";
import type { Hasher } from "./hashing.ts";
import { MAX_CERTIFICATES, MAX_TEXT_CHARACTERS } from "./limits.ts";
import { isSigned, isUsableAlgorithm, keyOf } from "./signatures.ts";

export interface Certificate {
  readonly der: Uint8Array;
  /** What its issuer has signed. */
  readonly signed: Uint8Array;
  readonly signature: Uint8Array;
  readonly algorithm: Element;
  readonly serial: Uint8Array;
  readonly issuer: Element;
  readonly subject: Element;
  /** Milliseconds since 1970. */
  readonly from: number;
  readonly to: number;
  /** The public key, as a SubjectPublicKeyInfo. */
  readonly key: Element;
  readonly hasUniqueIds: boolean;
  readonly isVersion3: boolean;
  readonly extensions: ReadonlyMap<string, Extension>;
}

interface Extension {
  readonly critical: boolean;
  readonly value: Uint8Array;
}

const EXTENSION = {
  basicConstraints: "2.5.29.19",
  keyUsage: "2.5.29.15",
  extendedKeyUsage: "2.5.29.37",
  authorityKey: "2.5.29.35",
  subjectKey: "2.5.29.14",
} as const;
/** Extensions that are understood, or are about what is not asked here: names and policies. */
const KNOWN: ReadonlySet<string> = new Set([
  ...Object.values(EXTENSION),
  "2.5.29.17",
  "2.5.29.18",
  "2.5.29.30",
  "2.5.29.32",
  "2.5.29.33",
  "2.5.29.36",
  "2.5.29.54",
]);
const PURPOSE = { any: "2.5.29.37.0", timeStamping: "1.3.6.1.5.5.7.3.8", ocsp: "1.3.6.1.5.5.7.3.9" } as const;
/** Purposes of which a certificate that signs manifests has one: e-mail, documents, and what C2PA and a vendor define. */
const SIGNING: ReadonlySet<string> = new Set([
  "1.3.6.1.5.5.7.3.4",
  "1.3.6.1.5.5.7.3.36",
  "1.3.6.1.4.1.311.76.59.1.9",
  "1.3.6.1.4.1.62558.2.1",
]);
const ORGANIZATION = "2.5.4.10";
const COMMON_NAME = "2.5.4.3";
/** Bits of the key usage. */
const DIGITAL_SIGNATURE = 0x80;
const CERTIFICATE_SIGNING = 0x04;

/**
 * @param elements that all certificates of a store may have; absent: it stands alone
 * @throws Unreadable
 */
export function readCertificate(der: Uint8Array, elements?: Count): Certificate {
  const whole = readDer(der, elements);
  const [signed, algorithm, signature] = [childOf(whole, 0), childOf(whole, 1), childOf(whole, 2)];
  const isVersion3 = childOf(signed, 0).tag === 0xa0 && childOf(childOf(signed, 0), 0).content[0] === 2;
  const fields = signed.children.slice(childOf(signed, 0).tag === 0xa0 ? 1 : 0);
  const [serial, , issuer, validity, subject, key, ...more] = fields;
  if (!serial || !issuer || !validity || !subject || !key) throw new Unreadable("no certificate");
  return {
    der: whole.whole,
    signed: signed.whole,
    signature: bitsOf(signature),
    algorithm,
    serial: serial.content,
    issuer,
    subject,
    from: momentOf(childOf(validity, 0)),
    to: momentOf(childOf(validity, 1)),
    key,
    hasUniqueIds: more.some(({ tag }) => tag === 0x81 || tag === 0x82 || tag === 0xa1 || tag === 0xa2),
    isVersion3,
    extensions: extensionsOf(more.find(({ tag }) => tag === 0xa3)),
  };
}

function extensionsOf(found: Element | undefined): ReadonlyMap<string, Extension> {
  const extensions = new Map<string, Extension>();
  for (const { children } of found ? childOf(found, 0).children : []) {
    const [oid, ...rest] = children;
    const value = rest.find(({ tag }) => tag === TAG.octets);
    if (!oid || !value) throw new Unreadable("no extension");
    const critical = rest.some(({ tag, content }) => tag === TAG.boolean && content[0] !== 0);
    extensions.set(oidOf(oid), { critical, value: value.content });
  }
  return extensions;
}

/** Whom a certificate is about, for people: the organization, or else its name. */
export function holderOf({ subject }: Certificate): string | undefined {
  return nameIn(subject, ORGANIZATION) ?? nameIn(subject, COMMON_NAME);
}

function nameIn(name: Element, wanted: string): string | undefined {
  const attributes = name.children.flatMap(({ children }) => children);
  const found = attributes.findLast(({ children: [oid] }) => oid && oidOf(oid) === wanted)?.children[1];
  if (!found) return undefined;
  // BMPString has two bytes for each character.
  const text = new TextDecoder(found.tag === 0x1e ? "utf-16be" : "utf-8").decode(found.content);
  return text.slice(0, MAX_TEXT_CHARACTERS);
}

/** What a certificate may be used for: object identifiers; undefined where it does not say. */
function purposesOf({ extensions }: Certificate): readonly string[] | undefined {
  const found = extensions.get(EXTENSION.extendedKeyUsage);
  return found && readDer(found.value).children.map(oidOf);
}

function mayDo({ extensions }: Certificate, bit: number): boolean {
  const found = extensions.get(EXTENSION.keyUsage);
  return found !== undefined && ((readDer(found.value).content[1] ?? 0) & bit) !== 0;
}

function isAuthority({ extensions }: Certificate): boolean {
  const found = extensions.get(EXTENSION.basicConstraints);
  const [flag] = found ? readDer(found.value).children : [];
  return flag?.tag === TAG.boolean && flag.content[0] !== 0;
}

/** Whether a certificate has the form of one that signs manifests. @throws Unreadable */
export function maySignManifests(certificate: Certificate): boolean {
  const purposes = purposesOf(certificate) ?? [];
  return (
    hasProfile(certificate) &&
    !isAuthority(certificate) &&
    purposes.some((purpose) => SIGNING.has(purpose)) &&
    !purposes.some((purpose) => Object.values<string>(PURPOSE).includes(purpose))
  );
}

/** Whether a certificate has the form of one that signs time stamps. @throws Unreadable */
export function mayStamp(certificate: Certificate): boolean {
  const purposes = purposesOf(certificate) ?? [];
  return !isAuthority(certificate) && purposes.length === 1 && purposes[0] === PURPOSE.timeStamping;
}

function hasProfile(certificate: Certificate): boolean {
  const { extensions, algorithm, key, isVersion3, hasUniqueIds } = certificate;
  const handled = [...extensions].every(([oid, { critical }]) => !critical || KNOWN.has(oid));
  return (
    isVersion3 &&
    !hasUniqueIds &&
    handled &&
    extensions.has(EXTENSION.authorityKey) &&
    mayDo(certificate, DIGITAL_SIGNATURE) &&
    isUsableAlgorithm(algorithm) &&
    keyOf(key) !== undefined
  );
}

/** Whether a moment, in milliseconds since 1970, lies within the validity of a certificate. */
export function isValidAt({ from, to }: Certificate, moment: number): boolean {
  return moment >= from && moment <= to;
}

/** Certificates by which others are trusted. */
export type Anchors = readonly Certificate[];

/** The certificates of a PEM text (RFC 7468), in their order. @throws Unreadable */
export function readPem(text: string): Certificate[] {
  const blocks = text.matchAll(/-----BEGIN CERTIFICATE-----([\sA-Za-z\d+/=]+)-----END CERTIFICATE-----/g);
  return Array.from(blocks, ([, body = ""]) => {
    try {
      return readCertificate(Uint8Array.fromBase64(body.replaceAll(/\s/g, "")));
    } catch (error) {
      if (error instanceof Unreadable) throw error;
      throw new Unreadable("no certificate", { cause: error });
    }
  });
}

/**
 * Whether a certificate leads to an anchor: by itself, or over certificates that came with it, each of which may sign others and
 * was valid at the moment.
 * @param hasher counts the signatures that are verified for it
 * @throws Unreadable where there are too many of those
 */
export async function isTrusted(
  certificate: Certificate,
  others: readonly Certificate[],
  { anchors, moment, hasher }: { readonly anchors: Anchors; readonly moment: number; readonly hasher: Hasher },
): Promise<boolean> {
  let current = certificate;
  for (let length = 0; length <= MAX_CERTIFICATES; length++) {
    if (!isValidAt(current, moment)) return false;
    if (anchors.some(({ der }) => isSame(der, current.der))) return true;
    const anchor = await issuerOf(current, anchors, hasher);
    if (anchor) return isValidAt(anchor, moment);
    const next = await issuerOf(current, others, hasher);
    if (!next || next === current) return false;
    current = next;
  }
  return false;
}

async function issuerOf(
  certificate: Certificate,
  among: readonly Certificate[],
  hasher: Hasher,
): Promise<Certificate | undefined> {
  for (const one of among) {
    if (!isSame(one.subject.whole, certificate.issuer.whole)) continue;
    if (!isAuthority(one) || !mayDo(one, CERTIFICATE_SIGNING)) continue;
    hasher.countSignature(certificate.signed.length);
    if (await isSigned(certificate.algorithm, one.key, certificate.signed, certificate.signature)) return one;
  }
  return undefined;
}
