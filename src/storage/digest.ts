/** Hashes and signatures in the spellings that providers want. */
import { withoutEnd } from "../without-end.ts";
type Bytes = Uint8Array<ArrayBuffer>;

export async function hmacSha256(key: string | Bytes, message: string): Promise<Bytes> {
  const raw = typeof key === "string" ? new TextEncoder().encode(key) : key;
  const imported = await crypto.subtle.importKey("raw", raw, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  return new Uint8Array(await crypto.subtle.sign("HMAC", imported, new TextEncoder().encode(message)));
}

export async function sha256(message: string | Uint8Array): Promise<Bytes> {
  const bytes = typeof message === "string" ? new TextEncoder().encode(message) : message;
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
}

export function base64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}

/** @throws DOMException when `text` is not base64 */
export function fromBase64(text: string): Bytes {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}

/** RFC 4648 section 5, without padding, as JSON web tokens want it. */
export function base64Url(bytes: Uint8Array): string {
  return withoutEnd(base64(bytes).replaceAll("+", "-").replaceAll("/", "_"), "=");
}

/** A moment as `20240102T030405Z`, the way signatures date themselves. */
export function compactTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace(/[:-]|\.\d{3}/g, "");
}
