/** What is kept of an original's metadata, held against what ExifTool writes and reads. */
import fc from "fast-check";
import { beforeAll, describe, expect, inject, it } from "vitest";

import type { FormatDefinition } from "../../../src/image/codec/format.ts";
import { FORMATS, type FormatName } from "../../../src/image/formats.ts";
import { avif } from "../../../src/image/formats/avif.ts";
import { tagged } from "../../../src/image/formats/jpeg/tag.ts";
import { keptMetadata } from "../../../src/image/metadata/blocks.ts";
import { type Directory, type Field, Tiff, writeDirectories } from "../../../src/image/metadata/directories.ts";
import type { MetadataOption } from "../../../src/image/metadata/metadata-option.ts";
import { UNPAUSED } from "../../../src/scheduler/time-slice.ts";
import tracksFile from "../../fixtures/avif/tracks-alpha.avif";
import lyingJpeg from "../../fixtures/jpeg/s420.jpg";
import tiffFile from "../../fixtures/tiff/a33.tif";
import { rendered } from "../../support/render.ts";
import { pictureOf, scene } from "../../support/rows.ts";

type Tags = Readonly<Record<string, unknown>>;

const OPTIONS = ["none", "copyright", "no-location", "all"] as const satisfies readonly MetadataOption[];
const HOLDERS = Object.entries<FormatDefinition>(FORMATS).flatMap(([name, { metadata }]) =>
  // GIF holds XMP alone, and has a test of its own.
  metadata?.write && name !== "gif" ? [name as FormatName] : [],
);

let missing = "";
const originals = new Map<string, Uint8Array>();

async function asked(path: string, file: Uint8Array = new Uint8Array()): Promise<Uint8Array> {
  const response = await fetch(`${inject("reader")}${path}`, { method: "POST", body: file.slice() });
  const body = new Uint8Array(await response.arrayBuffer());
  if (!response.ok) throw new Error(new TextDecoder().decode(body));
  return body;
}

function originalOf(name: string): Uint8Array {
  const original = originals.get(name);
  if (!original) throw new Error("no original of this format");
  return original;
}

async function tagsOf(file: Uint8Array): Promise<Tags> {
  return JSON.parse(new TextDecoder().decode(await asked("/tags", file))) as Tags;
}

beforeAll(async () => {
  missing = new TextDecoder().decode(await asked("/exiftool"));
  if (missing !== "") return;
  const picture = pictureOf([scene(64, 48)]);
  const settings = { lossless: false, quality: 60, progressive: false, effort: 0 };
  for (const name of HOLDERS) {
    const { write }: FormatDefinition = FORMATS[name];
    const isOurs = write && name !== "tiff";
    const file = isOurs ? await write.encode(picture, settings, UNPAUSED) : new Uint8Array(tiffFile);
    const hasIptc = name === "jpeg" || name === "tiff";
    originals.set(name, await asked(hasIptc ? "/tagged?iptc" : "/tagged", file));
  }
});

/** Places and devices, of whatever group. */
const SECRETS = /gps|serial|city|latitude|location|uniqueid/i;
/** What ExifTool says of the file, not of what is in it. */
const OWN = /^(?:System|File|ExifTool|Composite|JFIF|PNG|RIFF|Meta|QuickTime|ItemList|ICC)/;
/** What the first directory of a TIFF file says of how it stores its picture. */
const STORED =
  /^IFD0:(?:Image(?:Width|Height)|BitsPerSample|Compression|Photometric|Strip|SamplesPer|RowsPer|[XY]?Resolution|Planar|Predictor|ExtraSamples)/;

function secretsIn(tags: Tags): string[] {
  return Object.entries(tags).flatMap(([tag, value]) => {
    const says = typeof value === "string" || typeof value === "number" ? String(value) : JSON.stringify(value);
    const isOwn = OWN.test(tag) && !tag.startsWith("Composite");
    return !isOwn && (SECRETS.test(tag) || /SN-47|Paris|48\.85/.test(says)) ? [tag] : [];
  });
}

async function result(from: Uint8Array, metadata: MetadataOption, format: string, more: object = {}) {
  const order = { output: { format, metadata, quality: 70 }, ...more };
  return (await rendered(from, order)).output;
}

/** JPEG in every format, and every format in JPEG. */
const PAIRS = [
  ...HOLDERS.map((to) => ["jpeg", to] as const),
  ...HOLDERS.flatMap((from) => (from === "jpeg" ? [] : [[from, "jpeg"] as const])),
];

describe("as much is kept as is asked for", () => {
  it.for(PAIRS)("of %s in %s", async ([from, format], context) => {
    if (missing !== "") context.skip(missing);
    const original = originalOf(from);
    const before = await tagsOf(original);
    expect(secretsIn(before).length).toBeGreaterThan(5);
    const kept = new Map<MetadataOption, Tags>();
    for (const option of OPTIONS) {
      const output = await result(original, option, format);
      const tags = await tagsOf(output.bytes);
      expect(tags["ExifTool:Warning"]).toBeUndefined();
      expect(Object.keys(tags).filter((tag) => tag.endsWith(":Orientation"))).toEqual([]);
      expect(output.facts).toMatchObject({ orientation: 1 });
      if (option !== "all") expect(secretsIn(tags)).toEqual([]);
      kept.set(option, tags);
    }
    expect(
      Object.keys(kept.get("none") ?? {}).filter(
        (tag) => /^(?:IFD|ExifIFD|GPS|XMP|IPTC|Photoshop)/.test(tag) && !STORED.test(tag),
      ),
    ).toEqual([]);
    const copyright = {
      "IFD0:Artist": "Ann Photographer",
      "IFD0:Copyright": "(c) Ann, 2026",
      "IFD0:ImageDescription": "A bird",
    };
    const rights = { "XMP-dc:Rights": "(c) Ann in XMP", "XMP-dc:Creator": "Ann in XMP" };
    const statement = { "XMP-xmpRights:WebStatement": "https://example.com/rights" };
    expect(kept.get("copyright")).toMatchObject({ ...copyright, ...rights, ...statement });
    expect(kept.get("copyright")).not.toHaveProperty("IFD0:Model");
    expect(kept.get("copyright")).not.toHaveProperty("XMP-xmp:Rating");
    const rest = { "IFD0:Model": "Model 5", "ExifIFD:ExposureTime": 0.01, "XMP-xmp:Rating": 4 };
    expect(kept.get("no-location")).toMatchObject({ ...copyright, ...rights, ...rest });
    const places = { "GPS:GPSAltitude": 35, "ExifIFD:SerialNumber": "SN-4711", "XMP-aux:SerialNumber": "SN-4713" };
    expect(kept.get("all")).toMatchObject({
      ...copyright,
      ...rights,
      ...rest,
      ...places,
      "XMP-photoshop:City": "Paris",
    });
    if (format !== "jpeg" || (from !== "jpeg" && from !== "tiff")) return;
    const notice = { "IPTC:CopyrightNotice": "(c) Ann in IPTC", "IPTC:By-line": "Ann" };
    expect(kept.get("copyright")).toMatchObject(notice);
    expect(kept.get("copyright")).not.toHaveProperty("IPTC:Keywords");
    expect(kept.get("no-location")).toMatchObject({ ...notice, "IPTC:Keywords": "bird" });
    expect(kept.get("all")).toMatchObject({ ...notice, "IPTC:City": "Paris" });
  });
});

describe("an original that stays as it is", () => {
  it.for(HOLDERS)("of %s says no more than it may", async (name, context) => {
    if (missing !== "") context.skip(missing);
    const original = originalOf(name);
    for (const metadata of ["none", "no-location"] as const) {
      const { output } = await rendered(original, { output: { metadata }, optimize: { lossless: true } });
      const tags = await tagsOf(output.bytes);
      expect(secretsIn(tags)).toEqual([]);
      expect(tags["IFD0:Artist"]).toBe(metadata === "none" ? undefined : "Ann Photographer");
    }
  });
});

/**
 * A still beside which there is a sequence, and whose items of EXIF and XMP, hidden in the fixture, say what another
 * picture's do.
 */
function sequenceOf(original: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(tracksFile).slice();
  bytes.set(new TextEncoder().encode("avif"), MAJOR_BRAND_AT);
  bytes.set(new TextEncoder().encode("meta"), new TextDecoder("latin1").decode(bytes).indexOf("free"));
  return avif.metadata.write(avif.strip(bytes).file(), keptMetadata(avif.metadata.read(original), "all"));
}

const MAJOR_BRAND_AT = 8;

describe("a still with a sequence, which stays as it is", () => {
  it.for(OPTIONS)("says no more than it may: %s", async (metadata, context) => {
    if (missing !== "") context.skip(missing);
    const original = sequenceOf(originalOf("avif"));
    const before = await tagsOf(original);
    expect(secretsIn(before).length).toBeGreaterThan(5);
    expect(before["XMP-dc:Rights"]).toBe("(c) Ann in XMP");
    const order = {
      output: { format: "avif", metadata },
      optimize: { target_bytes: 20_000, lossless: false },
    } as const;
    const { input, output } = await rendered(original, order);
    expect(output.bytes).toHaveLength(original.length);
    expect(output.facts).toEqual(input.facts);
    const tags = await tagsOf(output.bytes);
    expect(secretsIn(tags).length > 0).toBe(metadata === "all");
    expect(tags["IFD0:Artist"]).toBe(metadata === "none" ? undefined : "Ann Photographer");
    expect(tags["XMP-dc:Rights"]).toBe(metadata === "none" ? undefined : "(c) Ann in XMP");
    expect(tags["ExifTool:Warning"]).toBeUndefined();
  });
});

describe("a result with metadata", () => {
  it("has the size that is asked for", async (context) => {
    if (missing !== "") context.skip(missing);
    const optimize = { target_bytes: 4_500, lossless: false };
    const { output } = await rendered(originalOf("jpeg"), {
      output: { format: "jpeg", metadata: "all" },
      optimize,
    });
    expect(output.bytes.length).toBeLessThanOrEqual(4_500);
    expect((await tagsOf(output.bytes))["IFD0:Artist"]).toBe("Ann Photographer");
  });

  it("keeps it where nothing but the orientation tag says how the picture lies", async (context) => {
    if (missing !== "") context.skip(missing);
    // 133 x 101 pixels cannot be turned in whole blocks, and nothing may be lost.
    const file = tagged(await asked("/tagged?iptc", new Uint8Array(lyingJpeg)), 6);
    const { output } = await rendered(file, { output: { metadata: "copyright" }, optimize: { lossless: true } });
    const tags = await tagsOf(output.bytes);
    expect(tags).toMatchObject({ "IFD0:Orientation": 6, "XMP-dc:Rights": "(c) Ann in XMP" });
    expect(output.facts.orientation).toBe(6);
  });

  it("is refused in a format that can hold none, and given up where the format is not named", async () => {
    const file = new Uint8Array(lyingJpeg);
    await expect(result(file, "all", "jpeg2000")).rejects.toMatchObject({
      status: 422,
      message: "output.metadata must be none in this output.format, which cannot hold any",
    });
    expect((await result(file, "none", "jpeg2000")).format.label).toBe(FORMATS.jpeg2000.label);
    const packed = (await result(file, "none", "jpeg2000")).bytes;
    expect((await rendered(packed, { output: { metadata: "all" } })).output.bytes.length).toBeGreaterThan(0);
  });

  it("is nothing in GIF where there is no XMP", async () => {
    const file = new Uint8Array(tiffFile);
    const { metadata } = FORMATS.tiff;
    const { exif, xmp } = keptMetadata(metadata.read(file), "all");
    expect([exif?.length, xmp]).toEqual([expect.any(Number), undefined]);
    expect((await result(file, "all", "gif")).bytes).toEqual((await result(file, "none", "gif")).bytes);
  });

  it("has XMP in GIF, and nothing else there", async (context) => {
    if (missing !== "") context.skip(missing);
    const gif = await result(originalOf("jpeg"), "copyright", "gif");
    const tags = await tagsOf(gif.bytes);
    expect(tags).toMatchObject({ "XMP-dc:Rights": "(c) Ann in XMP", "XMP-dc:Creator": "Ann in XMP" });
    expect(secretsIn(tags)).toEqual([]);
    expect(tags["ExifTool:Warning"]).toBeUndefined();
    const again = await tagsOf((await result(gif.bytes, "all", "jpeg")).bytes);
    expect(again["XMP-dc:Rights"]).toBe("(c) Ann in XMP");
  });
});

/** EXIF data of a camera with a maker note, and a thumbnail behind it. */
function cameraExif(): Uint8Array {
  const text = (tag: number, value: string) => {
    const bytes = new TextEncoder().encode(`${value}\0`);
    return { tag, type: 2, count: bytes.length, value: bytes };
  };
  const note = new TextEncoder().encode("MAKER secret note with places");
  const exif: Directory = {
    fields: [{ tag: 0x927c, type: 7, count: note.length, value: note }, text(0xa431, "SN-1")],
    below: new Map(),
  };
  const gps: Directory = { fields: [text(0x0001, "N")], below: new Map() };
  const first: Directory = {
    fields: [
      text(0x010f, "Maker"),
      { tag: 0x0112, type: 3, count: 1, value: Uint8Array.of(6, 0) },
      text(0x8298, "(c) Ann"),
    ],
    below: new Map([
      [0x8769, exif],
      [0x8825, gps],
    ]),
  };
  return writeDirectories(first, true, 60_000) ?? new Uint8Array();
}

function long(tag: number, value: number): Field {
  return { tag, type: 4, count: 1, value: new Uint8Array(Uint32Array.of(value).buffer) };
}

function holds(bytes: Uint8Array | undefined, words: string): boolean {
  return bytes !== undefined && new TextDecoder("latin1").decode(bytes).includes(words);
}

describe("EXIF data", () => {
  it("has its maker note, where it was, with all that is kept and no sooner", () => {
    const exif = cameraExif();
    const all = keptMetadata({ exif }, "all").exif;
    expect(holds(all, "MAKER secret note")).toBe(true);
    expect(new TextDecoder("latin1").decode(all).indexOf("MAKER")).toBe(
      new TextDecoder("latin1").decode(exif).indexOf("MAKER"),
    );
    expect(
      Tiff.of(all ?? new Uint8Array())
        ?.entries(8)
        .map(({ tag }) => tag),
    ).toEqual([0x010f, 0x8298, 0x8769, 0x8825]);
    for (const option of ["copyright", "no-location"] as const) {
      const { exif: kept } = keptMetadata({ exif }, option);
      expect(holds(kept, "(c) Ann")).toBe(true);
      expect(holds(kept, "MAKER") || holds(kept, "SN-1")).toBe(false);
    }
  });

  it("has no maker note that holds a preview of the original", () => {
    const exif = cameraExif();
    const at = new TextDecoder("latin1").decode(exif).indexOf("secret");
    exif.set([0xff, 0xd8, 0xff, 0xdb], at);
    const { exif: kept } = keptMetadata({ exif }, "all");
    expect(holds(kept, "MAKER") || holds(kept, "\u00FF\u00D8\u00FF")).toBe(false);
    expect(holds(kept, "(c) Ann") && holds(kept, "SN-1")).toBe(true);
  });

  it("has no thumbnail in strips", () => {
    const strips = writeDirectories({ fields: [long(0x0111, 8), long(0x0117, 4)], below: new Map() }, true, 60_000);
    const exif = Uint8Array.of(...cameraExif(), ...(strips ?? []).slice(8), ...new TextEncoder().encode("RAW PIXELS"));
    const view = new DataView(exif.buffer);
    view.setUint32(8 + 2 + view.getUint16(8, true) * 12, cameraExif().length, true);
    expect(holds(keptMetadata({ exif: cameraExif() }, "all").exif, "MAKER")).toBe(true);
    expect(holds(keptMetadata({ exif }, "all").exif, "RAW")).toBe(false);
    expect(holds(keptMetadata({ exif }, "all").exif, "(c) Ann")).toBe(true);
  });

  it("without anything to keep, or damaged, is none", () => {
    const bytes = (...list: number[]) => Uint8Array.from(list);
    for (const exif of [bytes(), bytes(0x49, 0x49, 42, 0, 8, 0, 0, 0), bytes(0x49, 0x49, 43, 0, 8, 0, 0, 0, 1, 0)]) {
      for (const option of OPTIONS) expect(keptMetadata({ exif }, option).exif).toBeUndefined();
    }
  });
});

/** Every block that can be damaged, and a byte of it that becomes another. */
const damage = fc.record({
  at: fc.nat(10_000),
  byte: fc.nat(255),
  cut: fc.oneof(fc.constant(Infinity), fc.nat(400)),
  option: fc.constantFrom(...OPTIONS),
});

it("reads damaged metadata without an error, and never says more than it may", async () => {
  const xmp = new TextEncoder().encode(
    '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" xmlns:exif="http://ns.adobe.com/exif/1.0/" exif:GPSLatitude="48,51N" xmlns:dc="http://purl.org/dc/elements/1.1/" dc:rights="a &amp; &quot;b&quot;"><dc:creator><rdf:Seq><rdf:li>Ann &lt;a&gt;</rdf:li></rdf:Seq></dc:creator></rdf:Description></rdf:RDF></x:xmpmeta>',
  );
  const iptc = Uint8Array.of(0x1c, 2, 0, 0, 2, 0, 4, 0x1c, 2, 116, 0, 3, 65, 66, 67, 0x1c, 2, 90, 0, 2, 88, 89);
  const whole = { exif: cameraExif(), xmp, iptc };
  const broken = (bytes: Uint8Array, at: number, byte: number, cut: number) => {
    const copy = bytes.slice(0, Math.min(cut, bytes.length));
    if (copy.length > 0) copy[at % copy.length] = byte;
    return copy;
  };
  const check = fc.property(damage, ({ at, byte, cut, option }) => {
    const metadata = {
      exif: broken(whole.exif, at, byte, cut),
      xmp: broken(whole.xmp, at, byte, cut),
      iptc: broken(whole.iptc, at, byte, cut),
    };
    const kept = keptMetadata(metadata, option);
    if (option === "none") expect(kept).toEqual({});
    if (kept.exif) expect(Tiff.of(kept.exif)).not.toBeNull();
  });
  fc.assert(check, { numRuns: 400 });
  const copyright = keptMetadata(whole, "copyright");
  expect(new TextDecoder().decode(copyright.xmp)).toContain('dc:rights="a &amp; &quot;b&quot;"');
  expect(new TextDecoder().decode(copyright.xmp)).toContain("Ann &lt;a&gt;");
  expect(holds(copyright.xmp, "GPS")).toBe(false);
  expect([...(copyright.iptc ?? [])]).toEqual([...iptc.subarray(0, 15)]);
});

it("bounds what it reads", () => {
  const rdf = (body: string) =>
    new TextEncoder().encode(
      `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:a="urn:a">${body}</rdf:RDF>`,
    );
  const description = (body: string) => rdf(`<rdf:Description>${body}</rdf:Description>`);
  expect(keptMetadata({ xmp: description("<a:b>1</a:b>") }, "all").xmp).toBeDefined();
  const sixteenBit = `${"<a:b>".repeat(9_000)}${"</a:b>".repeat(9_000)}`;
  expect(keptMetadata({ xmp: description(sixteenBit) }, "all").xmp).toBeUndefined();
  expect(keptMetadata({ xmp: description("<a:b/>".repeat(40_000)) }, "all").xmp).toBeUndefined();
  expect(keptMetadata({ xmp: description(`<a:b>${"x".repeat(300_000)}</a:b>`) }, "all").xmp).toBeUndefined();
  const entity = '<!DOCTYPE a [<!ENTITY b "xxxxxxxxxx">]>';
  const packet = new TextDecoder().decode(description("<a:b>&b;&b;</a:b>"));
  expect(keptMetadata({ xmp: new TextEncoder().encode(entity + packet) }, "all").xmp).toBeUndefined();
});
