/** The API key of this tab. It is kept until the tab is closed and is sent to this service only. */

const SLOT = "darkroom-key";
const LOCAL = /^(?:localhost|.*\.localhost|127(?:\.\d+){3}|\[::1\])$/;

/** What `npm start` opens the service with; it means nothing anywhere else. */
export const DEMO_KEY = "demo";

export function readKey() {
  return sessionStorage.getItem(SLOT) ?? (LOCAL.test(location.hostname) ? DEMO_KEY : "");
}

/**
 * Binds the key field: fills it, keeps what is typed, calls `changed` when it was left with another key.
 * @param {HTMLInputElement} field
 * @param {() => void} changed
 */
export function bindKey(field, changed) {
  field.value = readKey();
  field.addEventListener("input", () => sessionStorage.setItem(SLOT, field.value.trim()));
  field.addEventListener("change", () => changed());
}
