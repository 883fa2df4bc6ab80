/**
 * In the runtime of the service, importing a .wasm file gives its compiled module, JSON, a font and weights what they hold, and there is a
 * scheduler, and bytes can be written and read in hexadecimal, and read in base64. With this imported first, Node does the same.
 */
import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { scheduler } from "node:timers/promises";
import { fileURLToPath } from "node:url";

Object.assign(globalThis, { scheduler });
if (!("toHex" in Uint8Array.prototype)) {
  const toHex = function toHex(this: Uint8Array) {
    return Buffer.from(this).toString("hex");
  };
  Object.defineProperty(Uint8Array.prototype, "toHex", { value: toHex });
}
if (!("fromHex" in Uint8Array)) {
  const fromHex = (text: string) => new Uint8Array(Buffer.from(text, "hex"));
  Object.defineProperty(Uint8Array, "fromHex", { value: fromHex });
}
if (!("fromBase64" in Uint8Array)) {
  const fromBase64 = (text: string, { alphabet = "base64" }: { readonly alphabet?: "base64" | "base64url" } = {}) =>
    new Uint8Array(Buffer.from(text, alphabet));
  Object.defineProperty(Uint8Array, "fromBase64", { value: fromBase64 });
}

registerHooks({
  load(url, context, next) {
    const isCode = url.endsWith(".wasm");
    if (url.endsWith(".json")) return next(url, { ...context, importAttributes: { type: "json" } });
    if (!isCode && !/\.(?:woff2|bin)$/.test(url)) return next(url, context);
    const bytes = readFileSync(fileURLToPath(url)).toString("base64");
    const imported = `Uint8Array.from(Buffer.from("${bytes}", "base64"))`;
    const value = isCode ? `new WebAssembly.Module(${imported})` : `${imported}.buffer`;
    return { format: "module", shortCircuit: true, source: `export default ${value};` };
  },
});
