/** Signatures of claims: COSE_Sign1 (RFC 9052, 4.2) over the claim, which is not in it (C2PA 2.2, 13.2). */
import { bytesIn, type Cbor, decodeCbor, encodeCbor, listIn, memberOf, Tagged, TooMuch, Unreadable } from "./cbor.ts";
import { type Certificate, readCertificate } from "./certificate.ts";
import { MAX_CERTIFICATES } from "./limits.ts";

const COSE_SIGN1 = 18;
/** Labels of headers (RFC 9052, 3.1; RFC 9360). */
export const HEADER = { algorithm: 1, certificates: 33 } as const;

export interface CoseSignature {
  readonly protectedBytes: Uint8Array;
  /** A number of COSE; undefined where none is given. */
  readonly algorithm: number | undefined;
  /** That of the signer first. */
  readonly certificates: readonly Certificate[];
  readonly signature: Uint8Array;
  /** A time stamp, and what it is about: the claim, as in the first version, or the signature. */
  readonly timeStamp: { readonly token: Uint8Array; readonly of: "claim" | "signature" } | undefined;
}

/** @throws Unreadable */
export function readCose(bytes: Uint8Array): CoseSignature {
  const decoded = decodeCbor(bytes);
  const whole = decoded instanceof Tagged && decoded.tag === COSE_SIGN1 ? decoded.value : decoded;
  const [protectedBytes, plain, , signature] = Array.isArray(whole) ? (whole as readonly Cbor[]) : [];
  if (!(protectedBytes instanceof Uint8Array) || !(signature instanceof Uint8Array))
    throw new Unreadable("no COSE_Sign1");
  const headers = protectedBytes.length > 0 ? decodeCbor(protectedBytes) : new Map();
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
    certificates: ders.map(readCertificate),
    signature,
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
