/** `darkroom/sign`: signatures of addresses, on servers. Key and salt open the whole delivery: no browser may have them. */
import { base64url } from "./image-url.js";

/**
 * Both 32 bytes in hex, as `GET /1.0/deliveries/<id>/signing` shows them.
 * @typedef {object} SigningPair
 * @property {string} key
 * @property {string} salt
 */

/** What stands before the options, with the name of the dialect; the options, with what loaders write before them; the source. */
const ADDRESS = /^(https?:\/\/[^/]+.*?\/(i|imgproxy)\/[^/?#]+)((?:\/cdn-cgi\/image)?\/[^/?#]+)(\/[^#]+)/;

/**
 * The same address, signed.
 * @param {SigningPair} pair
 * @param {string | URL} address An absolute address below `/i/<delivery>/` or `/imgproxy/<delivery>/unsafe/`.
 * @returns {Promise<string>}
 * @throws {TypeError} when it is none, or key or salt are not in hex
 */
export async function signURL(pair, address) {
  // As a browser will ask for it: every character is signed.
  const { href } = new URL(address);
  const [, before, dialect, first, rest] = ADDRESS.exec(href) ?? [];
  if (before === undefined || first === undefined || rest === undefined) {
    throw new TypeError("The address must be …/i/<delivery>/<options>/<source>");
  }
  if (dialect === "imgproxy") return `${before}/${await signatureOf(pair, rest)}${rest}`;
  return `${before}${first},sig=${await signatureOf(pair, first + rest)}${rest}`;
}

/**
 * HMAC-SHA256 of the salt and the text, in base64url without padding.
 * @param {SigningPair} pair
 * @param {string} text
 * @returns {Promise<string>}
 */
export async function signatureOf({ key, salt }, text) {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const imported = await crypto.subtle.importKey("raw", bytesOf("key", key), algorithm, false, ["sign"]);
  const message = new Uint8Array([...bytesOf("salt", salt), ...new TextEncoder().encode(text)]);
  return base64url(new Uint8Array(await crypto.subtle.sign("HMAC", imported, message)));
}

/**
 * @param {string} name
 * @param {string} hex
 */
function bytesOf(name, hex) {
  if (!/^(?:[\da-f]{2})+$/i.test(hex)) throw new TypeError(`The ${name} must be in hex`);
  return Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}
