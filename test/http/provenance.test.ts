/** What answers say of where an original is from. */
import { beforeEach, describe, expect, it } from "vitest";

import { forgetKeys } from "../../src/account/keys.ts";
import { pipeline } from "../../src/pipeline/edges.ts";
import jpegFile from "../fixtures/provenance/signed-es256.jpg";
import { openAccount } from "../support/accounts.ts";
import { apiOf } from "../support/api.ts";

const api = apiOf(pipeline);
const TRAINED = "http://cv.iptc.org/newscodes/digitalsourcetype/trainedAlgorithmicMedia";
const SIGNED = new Uint8Array(jpegFile);

let key = "";
beforeEach(async () => {
  forgetKeys();
  ({ key } = await openAccount());
});

async function upload(file: Uint8Array, data: object) {
  const body = new FormData();
  body.set("file", new File([file.slice()], "photo.jpg"));
  body.set("data", JSON.stringify(data));
  return api("POST", "/1.0/upload", { key, body });
}

/** The mark of synthetic pictures in the bytes of a result. */
async function markOf(url: string): Promise<boolean> {
  const { bytes } = await api("GET", new URL(url).pathname);
  return new TextDecoder("latin1").decode(bytes).includes(`DigitalSourceType="${TRAINED}"`);
}

describe("an original with a manifest", () => {
  it("is told with who signed it, and what is wrong with it", async () => {
    const { status, body } = await upload(SIGNED, {});
    expect(status).toBe(200);
    expect(body.input.provenance).toEqual({
      manifest: true,
      generator: "reference 1",
      signer: "Darkroom test signer",
      digital_source_type: TRAINED,
      state: "valid",
      failures: ["signingCredential.untrusted"],
    });
    const changed = SIGNED.slice();
    changed.set([(changed.at(-9) ?? 0) ^ 1], changed.length - 9);
    expect((await upload(changed, {})).body.input.provenance).toMatchObject({
      state: "invalid",
      failures: ["signingCredential.untrusted", "assertion.dataHash.mismatch"],
    });
  });

  it("is told as a chain where that is asked for", async () => {
    const { body } = await upload(SIGNED, { analyze: ["provenance", "color"] });
    expect(body.analysis.color).toBeDefined();
    expect(body.analysis.provenance).toMatchObject({
      state: "valid",
      manifests: [{ signer: "Darkroom test signer", actions: [{ action: "c2pa.created" }], ingredients: [] }],
    });
    const outputs = { a: { analyze: ["provenance"] }, b: { output: { format: "webp" } } };
    const set = await upload(SIGNED, { outputs });
    expect(set.body.input.provenance.state).toBe("valid");
    expect(set.body.outputs.a.analysis.provenance.manifests).toHaveLength(1);
    expect(set.body.outputs.b.analysis).toBeUndefined();
  });

  it("gives its results the mark of a synthetic picture, which the manifest states", async () => {
    for (const format of ["jpeg", "webp", "png", "gif"]) {
      const { body } = await upload(SIGNED, { output: { format } });
      expect(await markOf(body.output.url)).toBe(true);
    }
    const { body } = await upload(SIGNED, { output: { provenance: "drop" } });
    expect(await markOf(body.output.url)).toBe(false);
  });
});

describe("an original without one", () => {
  it("has nothing told of it", async () => {
    const { bytes } = await api(
      "GET",
      new URL((await upload(SIGNED, { output: { provenance: "drop" } })).body.output.url).pathname,
    );
    const { body } = await upload(bytes, { analyze: ["provenance"] });
    expect(body.input.provenance).toBeUndefined();
    expect(body.analysis).toEqual({ provenance: null });
  });
});
