/** File systems that other machines have: without links, as that of a memory card, or with names that have no case. */
import { linkSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { earlierResult, place } from "../../src/cli/batch/files.ts";
import { wranglerProgram } from "../../src/cli/wrangler.ts";

const SOURCES = join(import.meta.dirname, "..", "..", "src");

const { code } = vi.hoisted(() => ({ code: { of: "" } }));
vi.mock("node:fs/promises", async (original) => ({
  ...(await original<typeof import("node:fs/promises")>()),
  link: async () => Promise.reject(Object.assign(new Error("no link"), { code: code.of })),
}));

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "linkless-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

it("a result of an earlier run is not the original itself, under a name that differs in case", async () => {
  const path = join(folder, "a.JPG");
  await writeFile(path, "a picture");
  // Where names have a case, a file of two names.
  try {
    linkSync(path, join(folder, "a.jpg"));
  } catch {
    // It is there: names have no case.
  }
  expect(await earlierResult({ path, folder: "" }, "jpeg", undefined)).toBeUndefined();
  await rm(join(folder, "a.jpg"));
  await writeFile(join(folder, "b.PNG"), "a picture");
  await writeFile(join(folder, "b.webp"), "a result");
  expect(await earlierResult({ path: join(folder, "b.PNG"), folder: "" }, "webp", undefined)).toBe(
    join(folder, "b.webp"),
  );
});

it.each(["EPERM", "ENOTSUP", "ENOSYS"])(
  "results are written where a link is answered with %s, and replace nothing",
  async (said) => {
    code.of = said;
    const path = join(folder, "a.webp");
    await place(path, Buffer.from("one"), false);
    await expect(place(path, Buffer.from("two"), false)).rejects.toThrow("a.webp exists, and --overwrite is not given");
    expect(await readFile(path, "utf8")).toBe("one");
    expect(await readdir(folder)).toEqual(["a.webp"]);
  },
);

it("results are not written where a disk fails", async () => {
  code.of = "EIO";
  await expect(place(join(folder, "a.webp"), Buffer.from("one"), false)).rejects.toThrow("no link");
  expect(await readdir(folder)).toEqual([]);
});

it("nothing is started by the name of a script of the shell, which Windows does not find", async () => {
  const [program, first] = wranglerProgram("win32");
  expect([program, first]).toEqual([process.execPath, expect.stringContaining("wrangler.js")]);
  const found: string[] = [];
  for (const name of await readdir(SOURCES, { recursive: true })) {
    if (!/\.[jt]s$/.test(name)) continue;
    const text = await readFile(join(SOURCES, name), "utf8");
    if (/\b(?:spawn|execFile|run)(?:Sync)?\("(?:npm|npx|wrangler)"/.test(text)) found.push(name);
  }
  expect(found).toEqual([]);
});
