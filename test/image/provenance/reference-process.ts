/**
 * The process of the test against the reference implementation: results in all formats that hold manifests, signed by all
 * algorithms, of originals in all formats and after operations. A line of JSON for each: what it is, and what the reference
 * finds.
 */
import "../../support/imports-on-node.ts";
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import * as v from "valibot";

import type { FormatDefinition } from "../../../src/image/codec/format.ts";
import type { ProvenanceMeans } from "../../../src/image/render/result-metadata.ts";
import type { Found } from "./reference.test.ts";

const { FORMATS } = await import("../../../src/image/formats.ts");
const { OPERATIONS } = await import("../../../src/image/operations.ts");
const { readPem } = await import("../../../src/image/provenance/certificate.ts");
const { openSigner } = await import("../../../src/image/provenance/signer.ts");
const { rendered } = await import("../../support/render.ts");
const { AUTHORITY, SIGNERS } = await import("../../support/test-signers.ts");

/** What of the reference implementation is called here. */
interface Reference {
  readonly initSync: (options: { readonly module: Uint8Array }) => void;
  readonly WasmReader: {
    readonly fromBytes: (mime: string, bytes: Uint8Array, settings: string) => Promise<{ readonly json: () => string }>;
  };
}

interface Status {
  readonly code: string;
}

const { resolve } = createRequire(import.meta.url);
const { initSync, WasmReader }: Reference = await import(pathToFileURL(resolve("@contentauth/c2pa-wasm")).href);
initSync({ module: readFileSync(resolve("@contentauth/c2pa-wasm/c2pa.wasm")) });
const SETTINGS = JSON.stringify({
  verify: { verify_trust: true, remote_manifest_fetch: false, ocsp_fetch: false },
  trust: { trust_anchors: AUTHORITY },
});

const FIXTURES = join(import.meta.dirname, "..", "..", "fixtures", "provenance");
const ORIGINALS = readdirSync(FIXTURES).map((name) => ({
  name,
  bytes: new Uint8Array(readFileSync(join(FIXTURES, name))),
}));
const HOLDERS = Object.entries<FormatDefinition>(FORMATS).flatMap(([format, { manifest, write, mime }]) =>
  manifest?.write && write ? [{ format, mime }] : [],
);
const ALGORITHMS = Object.keys(SIGNERS) as (keyof typeof SIGNERS)[];
const ANCHORS = readPem(AUTHORITY);

/** What is asked for besides a format and a signature; each original has another of these in each format. */
const ORDERS: Readonly<Record<string, object>> = {
  converted: {},
  resized: { operations: { resize: v.parse(OPERATIONS.resize.params, { width: 20 }) } },
  cropped: { operations: { crop: v.parse(OPERATIONS.crop.params, { width: 16, height: 11, x: 3, y: 2 }) } },
  turned: { operations: { rotate: v.parse(OPERATIONS.rotate.params, { angle: 90 }) } },
  adjusted: { operations: { adjust: v.parse(OPERATIONS.adjust.params, { brightness: 10 }) } },
  "with all metadata": { output: { metadata: "all" } },
  "without loss": { optimize: { lossless: true } },
  kept: { output: { provenance: "keep" } },
};

function meansOf(algorithm: keyof typeof SIGNERS): ProvenanceMeans {
  return {
    anchors: async () => ANCHORS,
    now: Date.now(),
    signer: async () => (await openSigner(SIGNERS[algorithm])).signer,
    generator: { name: "Service", version: "1.0" },
    newId: () => crypto.randomUUID(),
  };
}

async function verdictOf(mime: string, bytes: Uint8Array): Promise<Pick<Found, "state" | "failures" | "parents">> {
  const {
    validation_state: state,
    validation_results: results,
    ...rest
  } = JSON.parse((await WasmReader.fromBytes(mime, bytes, SETTINGS)).json());
  const { failure, informational }: Record<string, Status[]> = results.activeManifest;
  const below: { readonly validationDeltas: { readonly failure?: Status[] } }[] = results.ingredientDeltas ?? [];
  const failures = [failure, informational, ...below.map(({ validationDeltas }) => validationDeltas.failure)];
  const { ingredients = [] } = rest.manifests[rest.active_manifest];
  return {
    state,
    // That nobody was asked whether certificates were revoked is said of every file.
    failures: failures.flatMap((list = []) => list.map(({ code }) => code)).filter((code) => !code.includes("ocsp")),
    parents: ingredients.filter(({ relationship }: { relationship: string }) => relationship === "parentOf").length,
  };
}

function tell(found: Found): void {
  process.stdout.write(`${JSON.stringify(found)}\n`);
}

let turn = 0;
for (const { name, bytes } of ORIGINALS) {
  for (const { format, mime } of HOLDERS) {
    // Each order has another algorithm in the next format.
    turn++;
    for (const [made, { output, ...order }] of Object.entries<{ readonly output?: object }>(ORDERS)) {
      const algorithm = ALGORITHMS[turn++ % ALGORITHMS.length] ?? "es256";
      const asked = { ...order, output: { format, provenance: "sign", ...output }, provenance: meansOf(algorithm) };
      const what = { original: name, format, made, algorithm };
      try {
        const result = await rendered(bytes, asked as never);
        const verdict = await verdictOf(mime, result.output.bytes);
        tell({ ...what, ...verdict });
      } catch (error) {
        tell({ ...what, state: String(error), failures: [], parents: 0 });
      }
    }
  }
}
