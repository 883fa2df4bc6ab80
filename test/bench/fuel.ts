/**
 * What counting its work takes of a module: pictures decoded by modules that count and by the same modules before that
 * was added to them (`UNCOUNTED=<folder> bash wasm/build.sh` keeps those). Name the folder, and pictures:
 * `UNCOUNTED=<folder> PICTURES="a.avif b.heic …" npm run bench -- fuel`.
 */
import { existsSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { registerHooks } from "node:module";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";

import { ROOT } from "../../src/cli/wrangler.ts";
import { given } from "./given.ts";
import { compare } from "./harness.ts";

/** Of each picture: what is looked for is a few parts in a hundred. */
const ROUNDS = 31;
/** What formats are known by. */
const HEAD_BYTES = 4_096;
/** The mark of files that are loaded a second time, with modules that do not count. */
const MARK = "?uncounted";

function loadTwice(folder: string): void {
  registerHooks({
    resolve(specifier, context, next) {
      const resolved = next(specifier, context);
      const isMarked = (context.parentURL?.endsWith(MARK) ?? false) && resolved.url.startsWith("file:");
      const isOurs = isMarked && !resolved.url.includes("/node_modules/");
      return isOurs ? { ...resolved, url: resolved.url + MARK } : resolved;
    },
    load(url, context, next) {
      if (!url.endsWith(`.wasm${MARK}`)) return next(url, context);
      const counting = fileURLToPath(url.slice(0, -MARK.length));
      const plain = join(folder, basename(counting));
      const bytes = readFileSync(existsSync(plain) ? plain : counting).toString("base64");
      const source = `export default new WebAssembly.Module(Uint8Array.from(Buffer.from("${bytes}", "base64")));`;
      return { format: "module", shortCircuit: true, source };
    },
  });
}

type Decode = (bytes: Uint8Array) => Promise<unknown>;

/** Decodes a whole file at its own size. */
async function decoder(mark: string): Promise<Decode> {
  const load = (path: string): Promise<unknown> => import(`${join(ROOT, path)}${mark}`);
  const { FORMATS } = (await load("src/image/formats.ts")) as typeof import("../../src/image/formats.ts");
  const { decodeFile } = (await load("test/support/files.ts")) as typeof import("../support/files.ts");
  return (bytes) => {
    const format = Object.values(FORMATS).find((row) => row.signature(bytes.subarray(0, HEAD_BYTES)));
    if (!format) throw new Error("nobody reads this");
    return decodeFile(format, bytes);
  };
}

export async function main(): Promise<void> {
  // The runtime of the service reads hints at branches; Node 24 does where it is told to.
  setFlagsFromString("--experimental-wasm-branch-hinting");
  const [folder] = given("UNCOUNTED");
  loadTwice(folder);
  const [counting, plain] = [await decoder(""), await decoder(MARK)];
  for (const path of given("PICTURES")) {
    const bytes = new Uint8Array(await readFile(path));
    const run = (decode: Decode) => async () => void (await decode(bytes));
    const [, counted] = await compare(
      [
        { name: "plain", run: run(plain) },
        { name: "counting", run: run(counting) },
      ],
      ROUNDS,
    );
    const ratio = counted?.cpuRatio.toFixed(3);
    console.log(
      `${basename(path).padEnd(40)} ${counted?.medianMs.toFixed(1).padStart(8)} ms, processor time x ${ratio}`,
    );
  }
}
