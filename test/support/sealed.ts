/** Keys of the vault, and what was sealed when there was one key alone. */

/** The key before, and the one that tests run with. */
export const OLD_KEY = "ZmVkY2JhOTg3NjU0MzIxMGZlZGNiYTk4NzY1NDMyMTA=";
export const NEW_KEY = "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=";

/** The first layout: version 1, one byte of the key's SHA-256, nonce, ciphertext with its tag. */
export async function sealedAtFirst(
  bytes: Uint8Array<ArrayBuffer>,
  plain: string,
  context: string,
): Promise<Uint8Array<ArrayBuffer>> {
  const encoder = new TextEncoder();
  const [id = 0] = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  const key = await crypto.subtle.importKey("raw", bytes, "AES-GCM", false, ["encrypt"]);
  const iv = crypto.getRandomValues(new Uint8Array(12));
  const additionalData = new Uint8Array([1, id, ...encoder.encode(context)]);
  const ciphertext = await crypto.subtle.encrypt({ name: "AES-GCM", iv, additionalData }, key, encoder.encode(plain));
  return new Uint8Array([1, id, ...iv, ...new Uint8Array(ciphertext)]);
}
