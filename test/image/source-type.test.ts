/**
 * The mark of synthetic pictures through every format and every amount of metadata, held against what ExifTool reads.
 */
import { beforeAll, describe, expect, inject, it } from "vitest";

import type { FormatDefinition } from "../../src/image/codec/format.ts";
import { FORMATS, type FormatName } from "../../src/image/formats.ts";
import { keptMetadata } from "../../src/image/metadata/blocks.ts";
import { METADATA_OPTIONS } from "../../src/image/metadata/metadata-option.ts";
import { isSynthetic, packetOf, sourceTypeIn } from "../../src/image/metadata/source-type.ts";
import { render } from "../../src/image/render/render.ts";
import { SharedBytes } from "../../src/scheduler/shared-bytes.ts";
import { UNPAUSED } from "../../src/scheduler/time-slice.ts";
import { rendered } from "../support/render.ts";
import { pictureOf, scene } from "../support/rows.ts";

const BASE = "http://cv.iptc.org/newscodes/digitalsourcetype/";
const TRAINED = `${BASE}trainedAlgorithmicMedia`;
const HOLDERS = Object.entries<FormatDefinition>(FORMATS).flatMap(([name, { metadata, write }]) =>
  metadata?.write && write ? [name as FormatName] : [],
);

const originals = new Map<string, Uint8Array>();
let missing = "";

async function asked(path: string, file: Uint8Array = new Uint8Array()): Promise<string> {
  const response = await fetch(`${inject("reader")}${path}`, { method: "POST", body: file.slice() });
  return response.text();
}

beforeAll(async () => {
  missing = await asked("/exiftool");
  const picture = pictureOf([scene(64, 48)]);
  const settings = { lossless: false, quality: 60, progressive: false, effort: 0 };
  for (const name of HOLDERS) {
    const { write, metadata }: FormatDefinition = FORMATS[name];
    if (!write || !metadata?.write) throw new Error("no holder of metadata");
    const file = await write.encode(picture, settings, UNPAUSED);
    originals.set(name, metadata.write(file, { xmp: packetOf(TRAINED) }));
  }
});

function originalOf(name: FormatName): Uint8Array {
  const original = originals.get(name);
  if (!original) throw new Error("no original of this format");
  return original;
}

function statedBy(file: Uint8Array, { metadata }: FormatDefinition): string | undefined {
  const { xmp } = metadata?.read(file) ?? {};
  return xmp && sourceTypeIn(xmp);
}

const PAIRS = [
  ...HOLDERS.map((to) => ["jpeg", to] as const),
  ...HOLDERS.flatMap((from) => (from === "jpeg" ? [] : [[from, "png"] as const, [from, from] as const])),
];

describe("a picture that says it is synthetic", () => {
  it.for(PAIRS)("says so as %s made %s", async ([from, format]) => {
    const original = originalOf(from);
    expect(statedBy(original, FORMATS[from])).toBe(TRAINED);
    for (const metadata of [undefined, ...METADATA_OPTIONS]) {
      for (const provenance of [undefined, "auto"] as const) {
        const output = { format, quality: 70, ...(metadata && { metadata }), ...(provenance && { provenance }) };
        const made = (await rendered(original, { output })).output;
        expect(statedBy(made.bytes, made.format)).toBe(TRAINED);
        if (missing !== "") continue;
        const tags = JSON.parse(await asked("/tags", made.bytes)) as Record<string, unknown>;
        expect(tags["XMP-iptcExt:DigitalSourceType"]).toBe(TRAINED);
        expect(tags["ExifTool:Warning"]).toBeUndefined();
      }
      const output = { format, quality: 70, provenance: "drop", ...(metadata && { metadata }) } as const;
      const dropped = (await rendered(original, { output })).output;
      expect(statedBy(dropped.bytes, dropped.format)).toBeUndefined();
    }
  });

  it.for(HOLDERS)("says so where %s comes back as it is", async (format) => {
    const original = originalOf(format);
    const { output } = await rendered(original, { output: {}, optimize: { lossless: true } });
    expect(statedBy(output.bytes, output.format)).toBe(TRAINED);
  });

  it("says so in every result of a set, and within the bytes that are asked for", async () => {
    const entries = ["jpeg", "webp", "avif"].map((format) => ({
      name: format,
      operations: {},
      output: { format } as const,
      optimize: { target_bytes: 1_500, lossless: false },
      analyze: undefined,
    }));
    const stated: (string | undefined)[] = [];
    await render(
      SharedBytes.of(originalOf("png").slice()),
      {
        operations: {},
        overlays: new Map(),
        accept: undefined,
        analyze: undefined,
        entries: () => entries,
        refusalOf: (_entry, error) => error,
      },
      (_entry, { output }) => {
        expect(output.file.bytes.length).toBeLessThanOrEqual(1_500);
        stated.push(statedBy(output.file.bytes, output.format));
        output.file.release();
      },
    );
    expect(stated).toEqual([TRAINED, TRAINED, TRAINED]);
  });

  it("keeps the mark of how far a GIF file was reduced", async () => {
    const first = (await rendered(originalOf("png"), { output: { format: "gif" } })).output;
    const mark = FORMATS.gif.mark.read(first.bytes);
    expect(mark).toBeGreaterThan(0);
    expect(statedBy(first.bytes, FORMATS.gif)).toBe(TRAINED);
    const dropped = (await rendered(first.bytes, { output: { provenance: "drop" } })).output;
    expect(FORMATS.gif.mark.read(dropped.bytes)).toBe(mark);
    expect(statedBy(dropped.bytes, FORMATS.gif)).toBeUndefined();
  });
});

function packet(description: string): Uint8Array {
  return new TextEncoder().encode(
    '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">' +
      `<rdf:Description xmlns:e="http://iptc.org/std/Iptc4xmpExt/2008-02-29/" ${description}</rdf:RDF></x:xmpmeta>`,
  );
}

/** The ways in which writers write it. */
const WRITTEN: Readonly<Record<string, Uint8Array>> = {
  attribute: packet(`e:DigitalSourceType="${TRAINED}"/>`),
  element: packet(`><e:DigitalSourceType>\n ${TRAINED} </e:DigitalSourceType></rdf:Description>`),
  resource: packet(`><e:DigitalSourceType rdf:resource="${TRAINED}"/></rdf:Description>`),
  list: packet(
    `><e:DigitalSourceType><rdf:Bag><rdf:li>${TRAINED}</rdf:li></rdf:Bag></e:DigitalSourceType></rdf:Description>`,
  ),
  cut: packet(`e:DigitalSourceType="${TRAINED}" e:Other="`),
  "an element of a packet that is cut": packet(`><e:DigitalSourceType>${TRAINED}</e:Digi`),
  "a packet beyond all bounds": packet(`e:DigitalSourceType="${TRAINED}" e:Other="${"x".repeat(300_000)}"/>`),
};

describe("a packet", () => {
  it.for(Object.keys(WRITTEN))("states a source type as %s", (name) => {
    for (const options of METADATA_OPTIONS) {
      const { xmp } = keptMetadata({ xmp: WRITTEN[name] }, options);
      expect(xmp && sourceTypeIn(xmp)).toBe(TRAINED);
      const dropped = keptMetadata({ xmp: WRITTEN[name] }, options, true).xmp;
      expect(dropped && sourceTypeIn(dropped)).toBeUndefined();
    }
  });

  it("keeps nothing of a camera's picture that is not asked for", () => {
    const xmp = packet(`e:DigitalSourceType="${BASE}digitalCapture"/>`);
    expect(keptMetadata({ xmp }, "none").xmp).toBeUndefined();
    expect(keptMetadata({ xmp }, "copyright").xmp).toBeUndefined();
    expect(sourceTypeIn(keptMetadata({ xmp }, "no-location").xmp ?? new Uint8Array())).toBe(`${BASE}digitalCapture`);
  });

  it("keeps nothing beside the mark, and no more than an address of it", () => {
    const long = `${BASE}<b a="c">${"x".repeat(900)}`;
    expect(packetOf(long).length).toBeLessThan(700);
    expect(sourceTypeIn(packetOf(long))).toMatch(/^[\w:/.=-]{1,200}$/);
    const mixed = packet(`e:DigitalSourceType="${TRAINED}" e:City="Paris"/>`);
    expect(new TextDecoder().decode(keptMetadata({ xmp: mixed }, "none").xmp)).not.toContain("Paris");
  });
});

it("tells pictures of algorithms from others by the vocabulary of the IPTC", () => {
  const synthetic = ["trainedAlgorithmicMedia", "compositeWithTrainedAlgorithmicMedia", "algorithmicMedia"];
  for (const value of synthetic) {
    expect([value, `${BASE}${value}`, `digsrctype:${value}`].map(isSynthetic)).toEqual([true, true, true]);
  }
  expect(["digitalCapture", "composite", "humanEdits", "screenCapture", ""].map(isSynthetic)).not.toContain(true);
});
