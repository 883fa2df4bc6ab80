/** What addresses are signed with: shown when it is made, and the signature itself. */
import { copyButton, h, moment } from "./dom.js";

/** @import { DeliveryRecord, SigningPair } from "./shapes.d.ts" */

/**
 * A new pair, to be copied; the panel goes when it is closed or the page is left.
 * @param {Pick<DeliveryRecord, "id" | "name">} delivery
 * @param {SigningPair} pair
 * @param {string} [previousUntil] until when the pair before is valid
 */
export function signingPanel({ id, name }, { key, salt }, previousUntil) {
  const title = h("h2", { id: "signing-title", tabindex: -1 }, `Signing keys of ${name || id}`);
  const line = (/** @type {string} */ label, /** @type {string} */ value) =>
    h(
      "div",
      { class: "secret" },
      h("strong", {}, label),
      h("code", {}, value),
      copyButton(() => value, label),
    );
  const close = h("button", { type: "button", class: "quiet small" }, "I have copied them");
  const panel = h(
    "section",
    { class: "panel card", "aria-labelledby": title.id },
    title,
    h("p", {}, "This page does not show them again. Whoever has them can have any picture of the sources made."),
    line("Key", key),
    line("Salt", salt),
    previousUntil !== undefined &&
      h("p", { class: "hint" }, "Addresses that the pair before signed are valid until ", moment(previousUntil), "."),
    h("p", {}, close),
  );
  close.addEventListener("click", () => panel.remove());
  return panel;
}

/**
 * The signature of a path: HMAC-SHA256 of salt and path, in base64url without padding.
 * @param {SigningPair} pair
 * @param {string} path what stands behind the delivery's address, without a signature
 * @throws {Error} where this browser signs nothing
 */
export async function signatureOf({ key, salt }, path) {
  // Pages that did not come over TLS, but from this machine, have no cryptography.
  if (!globalThis.crypto?.subtle) throw new Error("Browsers sign only on pages that come over HTTPS");
  const hmac = { name: "HMAC", hash: "SHA-256" };
  const imported = await crypto.subtle.importKey("raw", bytesOf(key), hmac, false, ["sign"]);
  const text = new TextEncoder().encode(path);
  const signature = await crypto.subtle.sign("HMAC", imported, Uint8Array.of(...bytesOf(salt), ...text));
  const binary = Array.from(new Uint8Array(signature), (byte) => String.fromCharCode(byte)).join("");
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** @param {string} hex */
function bytesOf(hex) {
  return Uint8Array.from(hex.match(/../g) ?? [], (pair) => parseInt(pair, 16));
}
