/** Who signs manifests: a chain of certificates and the key of the first, as the caller has given them. */
import { ApiError } from "../../errors.ts";
import { Unreadable } from "./cbor.ts";
import { type Certificate, holderOf, maySignManifests, readPem } from "./certificate.ts";
import { MAX_CERTIFICATES } from "./limits.ts";
import { isSignedByCose, keyOf, type Hash } from "./signatures.ts";

export const SIGNING_ALGORITHMS = ["ES256", "ES384", "PS256", "Ed25519"] as const;
export type SigningAlgorithm = (typeof SIGNING_ALGORITHMS)[number];

interface Row {
  /** Its number in COSE. */
  readonly number: number;
  readonly algorithm: {
    readonly name: string;
    readonly hash?: Hash;
    readonly namedCurve?: string;
    readonly saltLength?: number;
  };
}

const ROWS: Readonly<Record<SigningAlgorithm, Row>> = {
  ES256: { number: -7, algorithm: { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } },
  ES384: { number: -35, algorithm: { name: "ECDSA", namedCurve: "P-384", hash: "SHA-384" } },
  PS256: { number: -37, algorithm: { name: "RSA-PSS", hash: "SHA-256", saltLength: 32 } },
  Ed25519: { number: -8, algorithm: { name: "Ed25519" } },
};

export interface Signer {
  /** A number of COSE. */
  readonly algorithm: number;
  /** DER, that of the signer first. */
  readonly certificates: readonly Uint8Array[];
  readonly sign: (data: Uint8Array) => Promise<Uint8Array>;
  /** A time stamp about the data; undefined where none can be had. */
  readonly stamp?: ((data: Uint8Array) => Promise<Uint8Array | undefined>) | undefined;
}

/** What a signer is made of, as texts of PEM. */
export interface SignerTexts {
  readonly certificates: string;
  /** PKCS#8. */
  readonly key: string;
  readonly algorithm?: SigningAlgorithm | undefined;
}

/** A signer, and what may be shown of it. */
export interface OpenedSigner {
  readonly signer: Signer;
  readonly algorithm: SigningAlgorithm;
  readonly holder: string | undefined;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/**
 * Opens a signer.
 * @throws ApiError 422 naming the member whose text is wrong, or does not go with the other
 */
export async function openSigner({ certificates, key, algorithm }: SignerTexts): Promise<OpenedSigner> {
  const chain = chainOf(certificates);
  const [own] = chain;
  if (!own || chain.length > MAX_CERTIFICATES) throw new ApiError(422, CERTIFICATES_RULE);
  const name = algorithm ?? usualAlgorithm(own);
  const row = name && ROWS[name];
  if (!row)
    throw new ApiError(422, `certificates must begin with one whose key is for ${SIGNING_ALGORITHMS.join(", ")}`);
  if (!mayBeUsed(own)) {
    throw new ApiError(
      422,
      "certificates must begin with one that may sign: version 3, for digital signatures, with an extended key usage for e-mail, documents or C2PA, and no authority",
    );
  }
  const secret = await importKey(key, row);
  const sign = async (data: Uint8Array) =>
    new Uint8Array(await crypto.subtle.sign(row.algorithm, secret, data as Uint8Array<ArrayBuffer>));
  const probe = new TextEncoder().encode("probe");
  if (!(await isSignedByCose(row.number, own.key, probe, await sign(probe)))) {
    throw new ApiError(422, "key must be that of the first certificate");
  }
  const signer = { algorithm: row.number, certificates: withoutRoot(chain).map(({ der }) => der), sign };
  return { signer, algorithm: name, holder: holderOf(own), expiresAt: own.to };
}

const CERTIFICATES_RULE = `certificates must be 1 to ${MAX_CERTIFICATES} certificates in PEM, that of the signer first`;

function chainOf(text: string): Certificate[] {
  try {
    return readPem(text);
  } catch (error) {
    if (error instanceof Unreadable) throw new ApiError(422, CERTIFICATES_RULE, { cause: error });
    throw error;
  }
}

function mayBeUsed(certificate: Certificate): boolean {
  try {
    return maySignManifests(certificate);
  } catch (error) {
    if (error instanceof Unreadable) return false;
    throw error;
  }
}

/** An anchor need not be in the file: whoever trusts it has it. */
function withoutRoot(chain: readonly Certificate[]): readonly Certificate[] {
  const last = chain.at(-1);
  const isRoot = chain.length > 1 && last && last.issuer.whole.toHex() === last.subject.whole.toHex();
  return isRoot ? chain.slice(0, -1) : chain;
}

function usualAlgorithm({ key }: Certificate): SigningAlgorithm | undefined {
  const found = keyOf(key);
  if (found?.kind === "rsa") return "PS256";
  if (found?.kind === "ed25519") return "Ed25519";
  if (found?.kind !== "ec") return undefined;
  return ({ "P-256": "ES256", "P-384": "ES384", "P-521": undefined } as const)[found.curve.name];
}

async function importKey(pem: string, { algorithm }: Row): Promise<CryptoKey> {
  const [, body = ""] = /-----BEGIN PRIVATE KEY-----([\sA-Za-z\d+/=]+)-----END PRIVATE KEY-----/.exec(pem) ?? [];
  try {
    const der = Uint8Array.fromBase64(body.replaceAll(/\s/g, ""));
    return await crypto.subtle.importKey("pkcs8", der, algorithm, false, ["sign"]);
  } catch (error) {
    throw new ApiError(422, "key must be a private key in PEM (PKCS#8, not encrypted) for the algorithm", {
      cause: error,
    });
  }
}
