/** Signatures of claims: COSE_Sign1 (RFC 9052, 4.2) over the claim, which is not in it (C2PA 2.2, 13.2). */
import {
  bytesIn,
  type Cbor,
  type CborMap,
  type Count,
  decodeCbor,
  encodeCbor,
  listIn,
  memberOf,
  Tagged,
  TooMuch,
  Unreadable,
} from "./cbor.ts";
import { type Certificate, readCertificate } from "./certificate.ts";
import { isZeros } from "./hashing.ts";
import { MAX_CERTIFICATES } from "./limits.ts";

const COSE_SIGN1 = 18;
/** Labels of headers (RFC 9052, 3.1; RFC 9360). */
const HEADER = { algorithm: 1, certificates: 33 } as const;

export interface CoseSignature {
  readonly protectedBytes: Uint8Array;
  /** A number of COSE; undefined where none is given. */
  readonly algorithm: number | undefined;
  /** That of the signer first. */
  readonly certificates: readonly Certificate[];
  readonly signature: Uint8Array;
  /** What only takes up room has nothing in it. */
  readonly isPadded: boolean;
  /** A time stamp, and what it is about: the claim, as in the first version, or the signature. */
  readonly timeStamp: { readonly token: Uint8Array; readonly of: "claim" | "signature" } | undefined;
}

/**
 * @param values that the boxes of a store may have together
 * @param elements that its certificates may have together
 * @throws Unreadable
 */
export function readCose(bytes: Uint8Array, values: Count, elements: Count): CoseSignature {
  const decoded = decodeCbor(bytes, values);
  const whole = decoded instanceof Tagged && decoded.tag === COSE_SIGN1 ? decoded.value : decoded;
  const [protectedBytes, plain, , signature] = Array.isArray(whole) ? (whole as readonly Cbor[]) : [];
  if (!(protectedBytes instanceof Uint8Array) || !(signature instanceof Uint8Array))
    throw new Unreadable("no COSE_Sign1");
  const headers = protectedBytes.length > 0 ? decodeCbor(protectedBytes, values) : new Map();
  const chain =
    memberOf(headers, HEADER.certificates) ??
    memberOf(headers, "x5chain") ??
    memberOf(plain, HEADER.certificates) ??
    memberOf(plain, "x5chain");
  const algorithm = memberOf(headers, HEADER.algorithm);
  const list = Array.isArray(chain) ? (chain as readonly Cbor[]) : [chain];
  const ders = list.filter((der) => der instanceof Uint8Array);
  if (ders.length > MAX_CERTIFICATES) throw new TooMuch("too many certificates");
  return {
    protectedBytes,
    algorithm: typeof algorithm === "number" ? algorithm : undefined,
    certificates: ders.map((der) => readCertificate(der, elements)),
    signature,
    isPadded: isZeros(bytesIn(plain, "pad")) && isZeros(bytesIn(plain, "pad2")),
    timeStamp: timeStampIn(plain),
  };
}

function timeStampIn(headers: Cbor): CoseSignature["timeStamp"] {
  for (const [name, of] of [
    ["sigTst2", "signature"],
    ["sigTst", "claim"],
  ] as const) {
    const tokens = listIn(memberOf(headers, name), "tstTokens");
    // More than one is not allowed.
    const token = tokens.length === 1 ? bytesIn(tokens[0], "val") : undefined;
    if (token) return { token, of };
  }
  return undefined;
}

/** What is signed of a claim (RFC 9052, 4.4). */
export function signedBytes(
  protectedBytes: Uint8Array,
  payload: Uint8Array,
  context: "Signature1" | "CounterSignature" = "Signature1",
): Uint8Array {
  return encodeCbor([context, protectedBytes, new Uint8Array(), payload]);
}

/** What a time stamp is about. */
export function stampedBytes(
  cose: Pick<CoseSignature, "protectedBytes" | "signature">,
  claim: Uint8Array,
  of: "claim" | "signature",
): Uint8Array {
  return signedBytes(cose.protectedBytes, of === "claim" ? claim : encodeCbor(cose.signature), "CounterSignature");
}

/** A COSE_Sign1 of so many bytes: padding takes what is left. @throws Error where it does not fit */
export function writeCose(
  protectedBytes: Uint8Array,
  plain: CborMap,
  signature: Uint8Array,
  length: number,
): Uint8Array {
  const written = (padding: readonly (readonly [string, Uint8Array])[]) =>
    encodeCbor(
      new Tagged(COSE_SIGN1, [protectedBytes, new Map<string | number, Cbor>([...plain, ...padding]), null, signature]),
    );
  const missing = (bytes: Uint8Array) => length - bytes.length;
  const bare = written([["pad", new Uint8Array()]]);
  let left = missing(bare);
  if (left < 0) throw new Error("The signature takes more room than was set aside for it");
  // The length of a byte string takes 1 to 5 bytes: where none fits, a second string takes one byte more.
  for (let room = left; room >= Math.max(0, left - 4); room--) {
    const whole = written([["pad", new Uint8Array(room)]]);
    if (whole.length === length) return whole;
  }
  left = missing(
    written([
      ["pad", new Uint8Array()],
      ["pad2", new Uint8Array()],
    ]),
  );
  for (let room = left; room >= Math.max(0, left - 8); room--) {
    for (let more = 0; more <= 8; more++) {
      const whole = written([
        ["pad", new Uint8Array(room)],
        ["pad2", new Uint8Array(more)],
      ]);
      if (whole.length === length) return whole;
    }
  }
  throw new Error("The signature cannot be padded");
}

/** The headers that are signed: the algorithm, and the chain of certificates, that of the signer first. */
export function protectedHeaders(algorithm: number, certificates: readonly Uint8Array[]): Uint8Array {
  const [only] = certificates;
  const chain: Cbor = certificates.length === 1 && only ? only : certificates;
  const headers: readonly (readonly [number, Cbor])[] = [
    [HEADER.algorithm, algorithm],
    [HEADER.certificates, chain],
  ];
  return encodeCbor(new Map(headers));
}
