/** Every command says what it can do, on the standard output and as a success, before it does anything. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";

import { expect, it } from "vitest";

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, "..", "..");

it.each([
  ["start.ts", "npm start"],
  ["dev.ts", "npm start"],
  ["serve.ts", "npm run serve"],
  ["deploy.ts", "npm run deploy"],
  ["bill.ts", "npm run bill"],
  ["prove.ts", "npm run prove"],
  ["darkroom.js", "Usage: darkroom"],
  ["create/create.js", "npm create @darkroom-images"],
  ["package/pack.js", "npm run packages"],
])("%s --help", async (file, name) => {
  const { stdout, stderr } = await run(process.execPath, [join(ROOT, "src", "cli", file), "--help"], { cwd: ROOT });
  expect(stdout.trim()).toMatch(new RegExp(`^${name}`));
  expect(stderr).toBe("");
});
