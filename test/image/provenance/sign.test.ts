/** Results that state where they are from, in every format that holds a statement, verified as any other file is. */
import * as v from "valibot";
import { beforeAll, describe, expect, it } from "vitest";

import type { FormatDefinition } from "../../../src/image/codec/format.ts";
import { FORMATS, type FormatName } from "../../../src/image/formats.ts";
import { packetOf } from "../../../src/image/metadata/source-type.ts";
import { OPERATIONS } from "../../../src/image/operations.ts";
import { readPem } from "../../../src/image/provenance/certificate.ts";
import { readJumbf } from "../../../src/image/provenance/jumbf.ts";
import { openSigner, type SigningAlgorithm } from "../../../src/image/provenance/signer.ts";
import { verifyFile } from "../../../src/image/provenance/verify.ts";
import { render } from "../../../src/image/render/render.ts";
import { SharedBytes } from "../../../src/scheduler/shared-bytes.ts";
import { UNPAUSED } from "../../../src/scheduler/time-slice.ts";
import signedJpeg from "../../fixtures/provenance/signed-es256.jpg";
import { rendered } from "../../support/render.ts";
import { pictureOf, scene } from "../../support/rows.ts";
import { fileOf, formatOf, SIGNED_FILES } from "../../support/signed-files.ts";
import { strippedFile } from "../../support/stripped.ts";
import { AUTHORITY, SIGNERS } from "../../support/test-signers.ts";

const ANCHORS = readPem(AUTHORITY);
const NOW = Date.parse("2026-12-01T00:00:00Z");
const TRAINED = "http://cv.iptc.org/newscodes/digitalsourcetype/trainedAlgorithmicMedia";
const HOLDERS = Object.entries<FormatDefinition>(FORMATS).flatMap(([name, { manifest, write }]) =>
  manifest?.write && write ? [name as FormatName] : [],
);

const SIGNED = new Uint8Array(signedJpeg);
let plain = new Uint8Array();
beforeAll(async () => {
  const settings = { lossless: false, quality: 80, progressive: false, effort: 0 };
  plain = (await FORMATS.jpeg.write.encode(pictureOf([scene(96, 64)]), settings, UNPAUSED)).slice();
});

function meansOf(name: keyof typeof SIGNERS | undefined = "es256") {
  return {
    anchors: async () => ANCHORS,
    now: NOW,
    signer: async () => name && (await openSigner(SIGNERS[name])).signer,
    generator: { name: "Service", version: "1.0" },
    newId: () => crypto.randomUUID(),
  };
}

function verified(bytes: Uint8Array, { manifest }: FormatDefinition) {
  if (!manifest) throw new Error("no manifests in this format");
  return verifyFile(bytes, manifest, { anchors: async () => ANCHORS, now: NOW });
}

/** The bytes of each manifest in a file's store. */
function manifestBytesOf({ manifest }: FormatDefinition, file: Uint8Array): readonly Uint8Array[] {
  const store = manifest?.find(file)?.store;
  if (!store) throw new Error("no store");
  return readJumbf(store).boxes.map(({ whole }) => whole);
}

describe("a store of 64 MB", () => {
  it.for(HOLDERS)("is unreadable, and never copied: %s", async (name) => {
    const { output } = await rendered(plain, { output: { format: name } });
    const store = new Uint8Array(64 << 20);
    store.set(FORMATS.jpeg.manifest.find(SIGNED)?.store?.subarray(0, 64) ?? []);
    new DataView(store.buffer).setUint32(0, store.length);
    const { format, bytes } = output;
    const file = format.manifest?.write?.(bytes, store) ?? bytes;
    expect(format.manifest?.find(file)?.store).toBeNull();
    expect(await verified(file, format)).toMatchObject({ state: "unreadable" });
  });
});

describe("a result that is signed", () => {
  it.for(HOLDERS)("is trusted, and names its original: %s", async (format) => {
    const order = {
      operations: { resize: v.parse(OPERATIONS.resize.params, { width: 20, height: 10 }) },
      output: { format, quality: 70, provenance: "sign" },
      provenance: meansOf(),
    } as const;
    const { output } = await rendered(SIGNED, order as never);
    const found = await verified(output.bytes, output.format);
    expect(found).toMatchObject({ state: "trusted", failures: [] });
    expect(found?.manifests).toHaveLength(2);
    const [own, original] = found?.manifests ?? [];
    expect(own?.generator).toBe("Service 1.0");
    expect(own?.ingredients).toMatchObject([{ relationship: "parentOf", format: "image/jpeg" }]);
    const actions = own?.actions.map(({ action }) => action);
    expect(actions?.[0]).toBe("c2pa.opened");
    expect(actions).toContain("c2pa.resized");
    expect(actions?.at(-1)).toBe("c2pa.transcoded");
    expect(own?.actions[0]?.sourceType).toBe(TRAINED);
    expect(original?.generator).toBe("reference 1");
    // One byte more or less of the picture, and it is no longer what was signed.
    const changed = output.bytes.slice();
    const behind = format === "webp" || format === "gif" ? 30 : 9;
    // In TIFF the store lies behind the picture.
    const at = format === "tiff" ? behind : changed.length - behind;
    changed.set([(changed[at] ?? 0) ^ 1], at);
    expect((await verified(changed, output.format))?.state).toBe("invalid");
  });

  it.for(Object.keys(SIGNERS) as (keyof typeof SIGNERS)[])("is by every algorithm: %s", async (name) => {
    const { output } = await rendered(plain, {
      output: { format: "png", provenance: "sign" },
      provenance: meansOf(name),
    });
    const found = await verified(output.bytes, output.format);
    expect(found).toMatchObject({ state: "trusted", failures: [] });
    expect(found?.manifests[0]?.signer).toBe("Darkroom test signer");
  });

  it("is as small as is asked for, with what is stated", async () => {
    const order = {
      output: { format: "jpeg", provenance: "sign" },
      optimize: { target_bytes: 8_000, lossless: false },
    } as const;
    const { output } = await rendered(SIGNED, { ...order, provenance: meansOf() });
    expect(output.bytes.length).toBeLessThanOrEqual(8_000);
    expect((await verified(output.bytes, output.format))?.state).toBe("trusted");
    // What cannot be so small is told with all that the file would have.
    const least = { ...order, optimize: { target_bytes: 900, lossless: false }, provenance: meansOf() };
    const refusal = rendered(SIGNED, least).then(
      () => "",
      (error: Error) => error.message,
    );
    expect(Number(/\d+$/.exec(await refusal)?.[0])).toBeGreaterThan(2_500);
  });

  it("has at most 12,000 bytes of it", async () => {
    for (const format of ["jpeg", "gif", "avif"] as const) {
      const settings = { format, quality: 70 };
      const means = { provenance: meansOf("ps256") };
      const signed = (await rendered(SIGNED, { output: { ...settings, provenance: "sign" }, ...means })).output;
      const bare = (await rendered(SIGNED, { output: { ...settings, provenance: "auto" } })).output;
      expect(signed.bytes.length - bare.bytes.length).toBeLessThan(12_000);
      expect(signed.bytes.length - bare.bytes.length).toBeGreaterThan(2_000);
    }
  });

  it("has a store of an even number of bytes: no chunk of RIFF is padded, which readers do not agree on", async () => {
    for (const name of Object.keys(SIGNERS) as (keyof typeof SIGNERS)[]) {
      for (const width of [20, 21]) {
        const operations = { resize: v.parse(OPERATIONS.resize.params, { width }) };
        const order = {
          operations,
          output: { format: "webp", provenance: "sign" },
          provenance: meansOf(name),
        } as const;
        const { output } = await rendered(SIGNED, order);
        const found = output.format.manifest?.find(output.bytes);
        expect((found?.store?.length ?? 1) % 2).toBe(0);
      }
    }
  });

  it.for(Object.keys(SIGNED_FILES))("names an original whose bytes are gone by then: %s", async (name) => {
    const order = { output: { format: "png", provenance: "sign" }, provenance: meansOf() } as const;
    const { output } = await rendered(fileOf(name), order);
    const found = await verified(output.bytes, output.format);
    expect(found).toMatchObject({ state: "trusted", failures: [] });
    expect(found?.manifests).toHaveLength(2);
  });

  it.for(Object.keys(SIGNED_FILES))("has the manifests of its original byte for byte: %s", async (name) => {
    const file = fileOf(name);
    const [original] = manifestBytesOf(formatOf(file), file);
    expect(original?.length).toBeGreaterThan(1_000);
    for (const provenance of ["keep", "sign", "auto"] as const) {
      for (const format of HOLDERS) {
        const { output } = await rendered(file, { output: { format, provenance }, provenance: meansOf() });
        const kept = manifestBytesOf(output.format, output.bytes);
        expect(kept).toHaveLength(2);
        expect(kept[0]).toEqual(original);
      }
    }
  });

  it("keeps the mark of a GIF file that says how far it was reduced", () => {
    const { mark, manifest, strip } = FORMATS.gif;
    const marked = mark.write(strippedFile(strip(fileOf("gif"))), 71);
    const signed = manifest.write?.(marked, new Uint8Array(3_000).fill(7)) ?? marked;
    expect(signed.length).toBeGreaterThan(marked.length + 3_000);
    expect(mark.read(signed)).toBe(71);
    const changed = signed.slice();
    changed.set([(changed[30] ?? 0) ^ 1], 30);
    expect(mark.read(changed)).toBeUndefined();
  });

  it("says what is wrong with its original", async () => {
    const broken = SIGNED.slice();
    broken.set([(broken.at(-9) ?? 0) ^ 1], broken.length - 9);
    const { input, output } = await rendered(broken, { output: { provenance: "sign" }, provenance: meansOf() });
    expect(input.provenance?.state).toBe("invalid");
    const found = await verified(output.bytes, output.format);
    expect(found?.state).toBe("trusted");
    expect(found?.manifests[0]?.ingredients[0]?.recorded.map(({ code }) => code)).toEqual([
      "assertion.dataHash.mismatch",
    ]);
  });

  it("is every one of a set, with what was done for it", async () => {
    const entry = (format: string, width: number) => ({
      name: format,
      operations: { resize: v.parse(OPERATIONS.resize.params, { width }) },
      output: { format, provenance: "sign" } as never,
      optimize: { quality: 60, lossless: false },
      analyze: undefined,
    });
    const states: (string | undefined)[] = [];
    const pending: Promise<void>[] = [];
    const base = { operations: {}, overlays: new Map(), accept: undefined, analyze: undefined, provenance: meansOf() };
    await render(
      SharedBytes.of(SIGNED.slice()),
      { ...base, entries: () => [entry("jpeg", 20), entry("webp", 12)], refusalOf: (_entry, error) => error },
      (_entry, { output }) => {
        const bytes = output.file.bytes.slice();
        output.file.release();
        pending.push(
          verified(bytes, output.format).then((found) => {
            states.push(found?.state);
            expect(found?.manifests[0]?.actions.map(({ action }) => action)).toContain("c2pa.resized");
          }),
        );
      },
    );
    await Promise.all(pending);
    expect(states).toEqual(["trusted", "trusted"]);
  });
});

describe("output.provenance", () => {
  const manifestsOf = async (
    file: Uint8Array,
    provenance: "auto" | "drop" | "keep" | "sign" | undefined,
    name?: "es256",
  ) => {
    const { output } = await rendered(file, {
      output: { format: "png", ...(provenance && { provenance }) },
      provenance: { ...meansOf(name), ...(name === undefined && { signer: undefined }) },
    });
    return (await verified(output.bytes, output.format))?.manifests.length ?? 0;
  };

  it("signs by itself what has a manifest or the mark of a synthetic picture, where somebody signs", async () => {
    const marked = FORMATS.jpeg.metadata.write(plain, { xmp: packetOf(TRAINED) });
    for (const auto of [undefined, "auto"] as const) {
      expect(await manifestsOf(SIGNED, auto, "es256")).toBe(2);
      expect(await manifestsOf(marked, auto, "es256")).toBe(1);
      expect(await manifestsOf(plain, auto, "es256")).toBe(0);
      expect(await manifestsOf(SIGNED, auto)).toBe(0);
    }
  });

  it("keeps manifests as ingredients, and drops them", async () => {
    expect(await manifestsOf(SIGNED, "keep", "es256")).toBe(2);
    expect(await manifestsOf(plain, "keep", "es256")).toBe(0);
    expect(await manifestsOf(SIGNED, "drop", "es256")).toBe(0);
    expect(await manifestsOf(plain, "sign", "es256")).toBe(1);
  });

  it("is refused where nobody signs, or the format has no place for it", async () => {
    const without = { ...meansOf(), signer: undefined };
    for (const provenance of ["sign", "keep"] as const) {
      const order = { output: { provenance }, provenance: without };
      await expect(rendered(SIGNED, order)).rejects.toMatchObject({
        status: 422,
        message: "output.provenance must be auto or drop as long as no signer is saved",
      });
    }
    const order = { output: { format: "jpeg2000", provenance: "sign" }, provenance: meansOf() } as const;
    await expect(rendered(SIGNED, order)).rejects.toMatchObject({
      status: 422,
      message: "output.provenance must be auto or drop in this output.format, which cannot hold a manifest",
    });
    const auto = { output: { format: "jpeg2000" }, provenance: meansOf() } as const;
    expect((await rendered(SIGNED, auto)).output.bytes.length).toBeGreaterThan(0);
  });
});

describe("a signer", () => {
  const { es256, es384, ps256 } = SIGNERS;
  const refused: readonly (readonly [string, object, string])[] = [
    ["no certificates", { certificates: "none", key: es256.key }, "certificates must be 1 to 16"],
    [
      "a damaged certificate",
      { certificates: AUTHORITY.replace("MII", "MIA"), key: es256.key },
      "certificates must be 1 to 16",
    ],
    ["an authority", { certificates: AUTHORITY, key: es256.key }, "certificates must begin with one that may sign"],
    ["the key of another", { certificates: ps256.certificates, key: es256.key }, "key must be a private key in PEM"],
    [
      "a key of another curve",
      { certificates: es256.certificates, key: es384.key },
      "key must be a private key in PEM",
    ],
    [
      "no key",
      { certificates: es256.certificates, key: "-----BEGIN PRIVATE KEY-----" },
      "key must be a private key in PEM",
    ],
    ["another algorithm", { ...es256, algorithm: "PS256" }, "key must be a private key in PEM"],
  ];

  it.for(refused)("is refused with %s", async ([, texts, message]) => {
    const opening = openSigner(texts as { certificates: string; key: string });
    await expect(opening).rejects.toMatchObject({ status: 422, message: expect.stringContaining(message) });
  });

  it("has the algorithm of its key, and no authority in its chain", async () => {
    const expected: readonly (readonly [keyof typeof SIGNERS, SigningAlgorithm])[] = [
      ["es256", "ES256"],
      ["es384", "ES384"],
      ["ps256", "PS256"],
      ["ed25519", "Ed25519"],
    ];
    for (const [name, algorithm] of expected) {
      const { certificates, key } = SIGNERS[name];
      const opened = await openSigner({ certificates: `${certificates}\n${AUTHORITY}`, key });
      expect(opened).toMatchObject({ algorithm, holder: "Darkroom test signer" });
      expect(opened.signer.certificates).toHaveLength(1);
    }
  });
});
