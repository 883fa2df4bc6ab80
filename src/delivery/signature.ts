/** Signatures of addresses: HMAC-SHA256 of the salt and the text, in base64url without padding. */
import type { SigningPair } from "../contract/deliveries.ts";
import type { Signing } from "./signing-pairs.ts";

const SIGNATURE_BYTES = 32;
const BASE64 = { alphabet: "base64url", omitPadding: true } as const;

export async function signatureOf({ key, salt }: SigningPair, text: string): Promise<string> {
  return (await hmac({ key, salt }, text)).toBase64(BASE64);
}

/**
 * Until when the text is signed, milliseconds since 1970: without end by the current pair, for a while by the one before.
 * Undefined where neither signed it; the time it takes tells nothing about the signature.
 */
export async function signedUntil(
  { current, previous }: Signing,
  text: string,
  signature: string,
  now: number,
): Promise<number | undefined> {
  const given = bytesOf(signature);
  if (given?.length !== SIGNATURE_BYTES) return undefined;
  const valid =
    previous && previous.until > now ? [{ ...current, until: Infinity }, previous] : [{ ...current, until: Infinity }];
  const expected = await Promise.all(valid.map((pair) => hmac(pair, text)));
  const found = expected.map((one) => crypto.subtle.timingSafeEqual(one, given)).indexOf(true);
  return valid[found]?.until;
}

/** One spelling of the bytes alone is a signature: caches know answers by their addresses. */
function bytesOf(signature: string): Uint8Array | undefined {
  try {
    const bytes = Uint8Array.fromBase64(signature, BASE64);
    return bytes.toBase64(BASE64) === signature ? bytes : undefined;
  } catch {
    return undefined;
  }
}

async function hmac({ key, salt }: SigningPair, text: string): Promise<Uint8Array> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const imported = await crypto.subtle.importKey("raw", Uint8Array.fromHex(key), algorithm, false, ["sign"]);
  const message = new Uint8Array([...Uint8Array.fromHex(salt), ...new TextEncoder().encode(text)]);
  return new Uint8Array(await crypto.subtle.sign("HMAC", imported, message));
}
