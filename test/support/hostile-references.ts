/**
 * Files whose parts are few and are looked at again and again: names as long as the file that many parts have, lists that say
 * the same item, packed boxes of which each unpacks to megabytes. Each is one of the families of hostile-framing.ts.
 */
import { brotliCompressSync } from "node:zlib";

import { box, FULL, heif, itemsOf, jpeg, joined, numbered, repeated, segment, text, u16, u32 } from "./framed.ts";
import { AV1C, avifOf, iinf, ispe, PIXEL } from "./shared-parts.ts";

/** One place in the file for each of some items, in bytes behind where the data begins. */
const placesOf = (places: readonly (readonly [from: number, length: number])[]) => (at: number) =>
  joined(
    FULL,
    [0x44, 0],
    u16(places.length),
    ...places.map(([from, length], index) => [
      ...u16(index + 1),
      ...u16(0),
      ...u16(1),
      ...u32(at + from),
      ...u32(length),
    ]),
  );

const grid = (side: number) => [0, 0, side - 1, side - 1, ...u16(side), ...u16(side)];

/** A picture that 2,000 references call the alpha of, by an item whose kind is a name as long as the file. */
function longKind(bytes: number): Uint8Array {
  const kind = box("auxC", FULL, repeated(text("x"), bytes));
  return avifOf({
    items: iinf("av01", "av01"),
    properties: [AV1C, ispe(1), kind],
    associations: joined(u32(2), u16(1), [2, 1, 2], u16(2), [3, 1, 2, 3]),
    references: repeated(box("auxl", u16(2), u16(1), u16(1)), 14 * 2_000),
    data: PIXEL,
    locations: placesOf([
      [0, PIXEL.length],
      [0, PIXEL.length],
    ]),
  });
}

/** An item of 20,000 pieces without bytes, in a list that says the same item 15,000 times. */
function listedAgain(bytes: number): Uint8Array {
  const entry = (pieces: number) => [...u16(1), ...u16(0), ...u32(0xffff_fff0), ...u16(pieces)];
  const entries = joined(repeated(entry(2), 15_000 * 10), entry(20_000));
  const locations = box("iloc", FULL, [0, 0x40], u16(15_001), entries);
  return joined(heif(itemsOf(1, "hvc1"), locations), new Uint8Array(bytes));
}

/** A canvas on which 32 times the same grid lies, whose places are all the same item, which has 255 properties. */
function gridsOfProperties(bytes: number): Uint8Array {
  const side = 160;
  const parts = 32;
  const canvas = [0, 0, ...new Uint8Array(8), ...u16(side), ...u16(side), ...new Uint8Array(parts * 4)];
  const own = [...Array<number>(253).fill(4), 1, 2];
  return avifOf({
    items: iinf("iovl", "grid", "av01"),
    properties: [AV1C, ispe(1), ispe(side), box("free")],
    associations: joined(u32(3), u16(1), [1, 3], u16(2), [1, 3], u16(3), [255, ...own]),
    references: joined(
      box("dimg", u16(1), u16(parts), repeated(u16(2), parts * 2)),
      box("dimg", u16(2), u16(side * side), repeated(u16(3), side * side * 2)),
    ),
    data: joined(canvas, grid(side), PIXEL, new Uint8Array(bytes)),
    locations: placesOf([
      [0, canvas.length],
      [canvas.length, 8],
      [canvas.length + 8, PIXEL.length],
    ]),
  });
}

/** A gain map, as phones write it, of 1,000 tiles whose colors are said in as many bytes as the file has. */
function longColors(bytes: number): Uint8Array {
  const tiles = 1_000;
  const kind = box("auxC", FULL, text("urn:com:apple:photo:2020:aux:hdrgainmap\0"));
  const colors = box("colr", text("nclx"), new Uint8Array(bytes));
  const xmp = text(
    '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">' +
      '<rdf:Description xmlns:h="http://ns.apple.com/HDRGainMap/1.0/" h:HDRGainMapHeadroom="4"/></rdf:RDF></x:xmpmeta>',
  );
  const types = ["av01", "grid", "mime", ...Array<string>(tiles).fill("av01")];
  const tile = (index: number) => [...u16(index + 4), 3, 1, 2, 4];
  return avifOf({
    items: iinf(...types),
    properties: [AV1C, ispe(1), kind, colors],
    associations: joined(
      u32(tiles + 2),
      u16(1),
      [2, 1, 2],
      u16(2),
      [1, 3],
      ...Array.from({ length: tiles }, (_, index) => tile(index)),
    ),
    references: joined(
      box("auxl", u16(2), u16(1), u16(1)),
      box("cdsc", u16(3), u16(1), u16(2)),
      box("dimg", u16(2), u16(tiles), ...Array.from({ length: tiles }, (_, index) => u16(index + 4))),
    ),
    data: joined(PIXEL, grid(1), xmp),
    locations: placesOf([
      [0, PIXEL.length],
      [PIXEL.length, 8],
      [PIXEL.length + 8, xmp.length],
      ...Array.from({ length: tiles }, () => [0, PIXEL.length] as const),
    ]),
  });
}

/** A sequence header whose timing is a code of zeros without an end. */
function longCode(bytes: number): Uint8Array {
  const header = joined([0x04, 0x00, 0, 0, 0, 0, 0, 0, 0, 0], new Uint8Array(bytes));
  // Profile 0, not a still, not reduced, with timing of 64 bits and equal intervals.
  header.set([0b0000_0100, 0, 0, 0, 0, 0, 0, 0, 0b0000_0010]);
  const size = header.length;
  const written = [size & 127, (size >> 7) & 127, (size >> 14) & 127, (size >> 21) & 127];
  const unit = joined(
    [0x0a, ...written.map((part, index) => (index < 3 ? part | 128 : part))],
    header,
    PIXEL.subarray(10),
  );
  return avifOf({
    items: iinf("av01"),
    properties: [AV1C, ispe(1)],
    associations: joined(u32(1), u16(1), [2, 1, 2]),
    data: unit,
    locations: placesOf([[0, unit.length]]),
  });
}

/** An index that names one file seven times, which Apple's phones call a map; and resources of Photoshop, all of the file. */
function namedAgain(bytes: number): Uint8Array {
  const xmp = text(
    'http://ns.adobe.com/xap/1.0/\0<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">' +
      '<rdf:Description xmlns:h="http://ns.apple.com/HDRGainMap/1.0/" h:HDRGainMapVersion="1"/></rdf:RDF>',
  );
  const map = joined([0xff, 0xd8], segment(0xe1, xmp), [0xff, 0xd9]);
  const resources = numbered(bytes, () =>
    segment(0xed, joined(text("Photoshop 3.0\0"), text("8BIM"), [0, 1, 0, 0, ...u32(60_000)], new Uint8Array(60_000))),
  );
  const written = (offset: number) => {
    const entry = [...u32(0), ...u32(map.length), ...u32(offset), ...u32(0)];
    const index = joined(
      [0x4d, 0x4d, 0, 42, ...u32(8), ...u16(1), ...u16(0xb002), ...u16(7), ...u32(8 * 16), ...u32(26), ...u32(0)],
      ...Array<number[]>(8).fill(entry),
    );
    return joined(jpeg(joined(segment(0xe2, joined(text("MPF\0"), index)), resources)), map);
  };
  // Places count from behind the name of the segment, which is the first.
  return written(written(0).length - map.length - 10);
}

/** A white pixel in JPEG XL as this service encodes one, behind further boxes. */
function jxlOf(boxes: Uint8Array): Uint8Array {
  const signature = box("JXL ", [0x0d, 0x0a, 0x87, 0x0a]);
  const pixel = [0xff, 0x0a, 0, 0x10, 0x10, 0x09, 8, 4, 1, 0, 0x18, 0, 0x89, 0x84, 0xb1, 0x58, 0x21, 0];
  return joined(signature, box("ftyp", text("jxl "), u32(0), text("jxl ")), boxes, box("jxlc", pixel));
}

export const REFERENCES: Readonly<Record<string, (bytes: number) => Uint8Array>> = {
  "AVIF, a kind of picture as long as the file": longKind,
  "HEIF, an item in pieces listed again and again": listedAgain,
  "AVIF, a canvas of grids of an item with many properties": gridsOfProperties,
  "AVIF, a gain map of tiles with long colors": longColors,
  "AVIF, a code without an end": longCode,
  "JPEG, segments full of tables": (bytes) =>
    jpeg(numbered(bytes, () => segment(0xdb, repeated([0, ...Array<number>(64).fill(1)], 65_520)))),
  "JPEG, a map named again and again": namedAgain,
  "JPEG XL, packed boxes": (bytes) => {
    const packed = brotliCompressSync(new Uint8Array(4 << 20));
    return jxlOf(repeated(box("brob", text("xml "), packed), Math.min(bytes, 4_000 * (packed.length + 12))));
  },
};
