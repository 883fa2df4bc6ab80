/** The command that tells what images say of where they are from. */
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, expect, it } from "vitest";

import type { Client } from "../../src/cli/batch/client.ts";
import { findOriginals } from "../../src/cli/batch/files.ts";
import { readOptions } from "../../src/cli/batch/options.ts";
import { type Chain, tellProvenance } from "../../src/cli/batch/provenance.ts";

const never = new AbortController().signal;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "provenance-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** What the service says of an image whose pixels were changed; its signer has a name that a terminal would obey. */
const CHAIN: Chain = {
  state: "invalid",
  failures: ["signingCredential.untrusted", "assertion.dataHash.mismatch"],
  manifests: [
    {
      signer: "Jane\u001b[31m",
      generator: "Camera 1",
      issued_at: "2026-11-29T00:00:00.000Z",
      trusted: false,
      actions: [
        { action: "c2pa.opened", digital_source_type: "http://cv.iptc.org/x/trainedAlgorithmicMedia" },
        { action: "c2pa.resized" },
      ],
      ingredients: [{ format: "image/jpeg", relationship: "parentOf", manifest: 1 }],
      failures: ["assertion.dataHash.mismatch"],
    },
    { trusted: false, actions: [], ingredients: [], failures: [] },
  ],
};

it("tells what images say of where they are from, and writes nothing", async () => {
  for (const name of ["a.jpg", "b.jpg"]) await writeFile(join(folder, name), name);
  const lines: string[] = [];
  const client = {
    describe: async (name: string) => ({ analysis: { provenance: name === "a.jpg" ? CHAIN : null } }) as never,
  } as unknown as Client;
  const found = await findOriginals([folder]);
  const tell = (json: boolean) => tellProvenance(found, client, json, never, (line) => lines.push(line));
  expect(await tell(false)).toBe(false);
  expect(lines.join("\n").replaceAll(folder, "")).toBe(
    [
      "/a.jpg",
      "  Invalid: something does not match",
      "  Wrong: assertion.dataHash.mismatch",
      "  1. Jane[31m with Camera 1 at 2026-11-29T00:00:00.000Z",
      "     c2pa.opened (trainedAlgorithmicMedia), c2pa.resized",
      "     parentOf: image/jpeg, see 2",
      "     assertion.dataHash.mismatch",
      "  2. somebody unnamed",
      "/b.jpg",
      "  No Content Credentials",
    ].join("\n"),
  );
  lines.length = 0;
  await tell(true);
  expect(lines.map((line) => JSON.parse(line).provenance)).toEqual([CHAIN, null]);
  expect(await readdir(folder)).toEqual(["a.jpg", "b.jpg"]);
});

it("asks for results that are signed", () => {
  const options = readOptions(["--sign", "--format", "webp", "--key", "k", folder], {});
  expect(options?.body.output).toEqual({ format: "webp", provenance: "sign" });
});
