/** Signatures of certificates, time stamps (by object identifiers) and manifests (by numbers of COSE), verified by Web Crypto. */
import { joined } from "../../joined.ts";
import { Unreadable } from "./cbor.ts";
import { bitsOf, type Element, oidOf, readDer, TAG } from "./der.ts";

const RSA = "1.2.840.113549.1.1.1";
const RSA_PSS = "1.2.840.113549.1.1.10";
const EC = "1.2.840.10045.2.1";
const ED25519 = "1.3.101.112";
const RSA_PKCS1: Readonly<Record<string, Hash>> = {
  "1.2.840.113549.1.1.11": "SHA-256",
  "1.2.840.113549.1.1.12": "SHA-384",
  "1.2.840.113549.1.1.13": "SHA-512",
};
const ECDSA: Readonly<Record<string, Hash>> = {
  "1.2.840.10045.4.3.2": "SHA-256",
  "1.2.840.10045.4.3.3": "SHA-384",
  "1.2.840.10045.4.3.4": "SHA-512",
};
const HASHES: Readonly<Record<string, Hash>> = {
  "2.16.840.1.101.3.4.2.1": "SHA-256",
  "2.16.840.1.101.3.4.2.2": "SHA-384",
  "2.16.840.1.101.3.4.2.3": "SHA-512",
};
const CURVES: Readonly<Record<string, Curve>> = {
  "1.2.840.10045.3.1.7": { name: "P-256", bytes: 32 },
  "1.3.132.0.34": { name: "P-384", bytes: 48 },
  "1.3.132.0.35": { name: "P-521", bytes: 66 },
};
/** The key of RSA has so many bytes at least: 2,048 bits. */
const MIN_RSA_BYTES = 256;
/** And at most: 8,192 bits. The time of a verification grows with the square of the key, that of a signature with its cube. */
const MAX_RSA_BYTES = 1_024;
/** `SEQUENCE { rsaEncryption, NULL }`, which keys of RSA are imported by, whatever they are to be used with. */
const RSA_ALGORITHM = Uint8Array.fromHex("300d06092a864886f70d0101010500");
const BYTES: Readonly<Record<Hash, number>> = { "SHA-256": 32, "SHA-384": 48, "SHA-512": 64 };

export type Hash = "SHA-256" | "SHA-384" | "SHA-512";

interface Curve {
  readonly name: "P-256" | "P-384" | "P-521";
  readonly bytes: number;
}

/** A public key: of which kind it is, and as Web Crypto imports it. */
export type Key =
  | { readonly kind: "rsa"; readonly spki: Uint8Array }
  | { readonly kind: "ec"; readonly spki: Uint8Array; readonly curve: Curve }
  | { readonly kind: "ed25519"; readonly spki: Uint8Array };

/** The algorithms of manifests by their numbers in COSE (RFC 9053, RFC 8230). */
export const COSE_ALGORITHMS: ReadonlyMap<number, { readonly kind: Key["kind"]; readonly hash: Hash }> = new Map([
  [-7, { kind: "ec", hash: "SHA-256" }],
  [-35, { kind: "ec", hash: "SHA-384" }],
  [-36, { kind: "ec", hash: "SHA-512" }],
  [-37, { kind: "rsa", hash: "SHA-256" }],
  [-38, { kind: "rsa", hash: "SHA-384" }],
  [-39, { kind: "rsa", hash: "SHA-512" }],
  [-8, { kind: "ed25519", hash: "SHA-512" }],
]);

/** The hash that an object identifier names. */
export function hashNamed(oid: string): Hash | undefined {
  return HASHES[oid];
}

/** The key of a SubjectPublicKeyInfo; undefined where it is of a kind, a curve or a size that is not used. @throws Unreadable */
export function keyOf({ whole: spki, children: [algorithm, bits] }: Element): Key | undefined {
  const [oid, parameters] = algorithm?.children ?? [];
  if (!oid || !bits) throw new Unreadable("no key");
  const name = oidOf(oid);
  if (name === ED25519) return { kind: "ed25519", spki };
  const curve = name === EC && parameters?.tag === TAG.oid ? CURVES[oidOf(parameters)] : undefined;
  if (curve) return { kind: "ec", spki, curve };
  if (name !== RSA && name !== RSA_PSS) return undefined;
  const [modulus] = readDer(bitsOf(bits)).children;
  const bytes = modulus ? modulus.content.length - (modulus.content[0] === 0 ? 1 : 0) : 0;
  if (bytes < MIN_RSA_BYTES || bytes > MAX_RSA_BYTES) return undefined;
  return { kind: "rsa", spki: name === RSA ? spki : sequence(RSA_ALGORITHM, bits.whole) };
}

function sequence(...parts: readonly Uint8Array[]): Uint8Array {
  const content = joined(parts);
  return joined([Uint8Array.of(TAG.sequence, 0x82, content.length >> 8, content.length & 255), content]);
}

/** Whether certificates that are signed by an algorithm are taken (C2PA 2.2, 14.5.1). */
export function isUsableAlgorithm(algorithm: Element): boolean {
  return schemeOf(algorithm) !== undefined;
}

type Scheme =
  | { readonly kind: "rsa"; readonly name: "RSASSA-PKCS1-v1_5"; readonly hash: Hash }
  | { readonly kind: "rsa"; readonly name: "RSA-PSS"; readonly hash: Hash; readonly saltLength: number }
  | { readonly kind: "ec"; readonly hash: Hash }
  | { readonly kind: "ed25519" };

function schemeOf({ children: [oid, parameters] }: Element): Scheme | undefined {
  const name = oid ? oidOf(oid) : "";
  const [pkcs1, ecdsa] = [RSA_PKCS1[name], ECDSA[name]];
  if (pkcs1) return { kind: "rsa", name: "RSASSA-PKCS1-v1_5", hash: pkcs1 };
  if (ecdsa) return { kind: "ec", hash: ecdsa };
  if (name === ED25519) return { kind: "ed25519" };
  if (name !== RSA_PSS || !parameters) return undefined;
  const member = (tag: number) => parameters.children.find((child) => child.tag === tag)?.children[0];
  const hashOid = member(0xa0)?.children[0];
  const hash = hashOid && HASHES[oidOf(hashOid)];
  const saltLength = member(0xa2)?.content.at(-1) ?? 20;
  return hash && { kind: "rsa", name: "RSA-PSS", hash, saltLength };
}

/** Whether a signature of a certificate or a time stamp is that of a key. */
export async function isSigned(
  algorithm: Element,
  publicKey: Element,
  data: Uint8Array,
  signature: Uint8Array,
  named?: Hash,
): Promise<boolean> {
  const key = keyOf(publicKey);
  // CMS may name a key's kind, and the hash elsewhere.
  const oid = algorithm.children[0] ? oidOf(algorithm.children[0]) : "";
  const plain: Scheme | undefined =
    oid === RSA && named
      ? { kind: "rsa", name: "RSASSA-PKCS1-v1_5", hash: named }
      : oid === EC && named
        ? { kind: "ec", hash: named }
        : undefined;
  const scheme = schemeOf(algorithm) ?? plain;
  if (!key || !scheme || key.kind !== scheme.kind) return false;
  if (key.kind === "ec" && scheme.kind === "ec") {
    const raw = rawSignature(signature, key.curve.bytes);
    return raw !== undefined && verified(key.spki, ecdsa(key.curve, scheme.hash), raw, data);
  }
  if (scheme.kind === "rsa") return verified(key.spki, scheme, signature, data);
  return verified(key.spki, { name: "Ed25519" }, signature, data);
}

/** Whether a signature of a manifest, by a number of COSE, is that of a key. */
export async function isSignedByCose(
  number: number,
  publicKey: Element,
  data: Uint8Array,
  signature: Uint8Array,
): Promise<boolean> {
  const key = keyOf(publicKey);
  const algorithm = COSE_ALGORITHMS.get(number);
  if (!key || !algorithm || key.kind !== algorithm.kind) return false;
  if (key.kind === "ec") {
    return (
      signature.length === 2 * key.curve.bytes && verified(key.spki, ecdsa(key.curve, algorithm.hash), signature, data)
    );
  }
  if (key.kind === "ed25519") return verified(key.spki, { name: "Ed25519" }, signature, data);
  return verified(
    key.spki,
    { name: "RSA-PSS", hash: algorithm.hash, saltLength: BYTES[algorithm.hash] },
    signature,
    data,
  );
}

function ecdsa({ name: namedCurve }: Curve, hash: Hash) {
  return { name: "ECDSA", namedCurve, hash };
}

async function verified(
  spki: Uint8Array,
  algorithm: {
    readonly name: string;
    readonly hash?: Hash;
    readonly namedCurve?: string;
    readonly saltLength?: number;
  },
  signature: Uint8Array,
  data: Uint8Array,
): Promise<boolean> {
  try {
    const key = await crypto.subtle.importKey("spki", spki.slice(), algorithm, false, ["verify"]);
    return await crypto.subtle.verify(algorithm, key, signature.slice(), data.slice());
  } catch {
    // A key that cannot be imported has signed nothing.
    return false;
  }
}

/** A signature of ECDSA as two numbers of fixed length, made of `SEQUENCE { r, s }`; undefined where it is none. */
function rawSignature(der: Uint8Array, bytes: number): Uint8Array | undefined {
  const { tag, children } = readDer(der);
  if (tag !== TAG.sequence || children.length !== 2) return undefined;
  const raw = new Uint8Array(2 * bytes);
  for (const [index, { content }] of children.entries()) {
    const number = content[0] === 0 ? content.subarray(1) : content;
    if (number.length > bytes) return undefined;
    raw.set(number, (index + 1) * bytes - number.length);
  }
  return raw;
}
