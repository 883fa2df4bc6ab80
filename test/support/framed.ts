/** Files by their framing: segments, chunks, boxes and entries, around a picture of a pixel or of none. */
import { crc32, deflateSync } from "node:zlib";

export const text = (value: string) => new TextEncoder().encode(value);

type Part = Uint8Array | readonly number[];

export function joined(...parts: readonly Part[]): Uint8Array {
  return together(parts);
}

export function together(parts: readonly Part[]): Uint8Array {
  return Uint8Array.from(Buffer.concat(parts.map((part) => Uint8Array.from(part))));
}

export function repeated(one: Uint8Array | readonly number[], bytes: number): Uint8Array {
  const unit = Uint8Array.from(one);
  const count = Math.max(1, Math.floor(bytes / unit.length));
  const all = new Uint8Array(unit.length * count);
  for (let index = 0; index < count; index++) all.set(unit, index * unit.length);
  return all;
}

/** Pieces made one after the other until they have so many bytes. */
export function numbered(bytes: number, pieceOf: (index: number) => Uint8Array): Uint8Array {
  const pieces: Uint8Array[] = [];
  for (let index = 0, sum = 0; sum < bytes; index++) {
    const piece = pieceOf(index);
    pieces.push(piece);
    sum += piece.length;
  }
  return together(pieces);
}

export const u16 = (value: number) => [(value >> 8) & 255, value & 255];
export const u32 = (value: number) => [...u16(value >>> 16), ...u16(value)];
export const u32le = (value: number) => u32(value).toReversed();

/** JPEG: a gray picture of 8 x 8 pixels with segments before its frame. */
export function jpeg(segments: Uint8Array): Uint8Array {
  const tables = [0xff, 0xdb, ...u16(67), 0, ...Array<number>(64).fill(1)];
  const frame = [0xff, 0xc0, ...u16(11), 8, 0, 8, 0, 8, 1, 1, 0x11, 0];
  const code = (kind: number) => [0xff, 0xc4, ...u16(20), kind, 1, ...Array<number>(15).fill(0), 0];
  const scan = [0xff, 0xda, ...u16(8), 1, 1, 0, 0, 63, 0, 0x3f];
  return joined([0xff, 0xd8], segments, tables, frame, code(0), code(0x10), scan, [0xff, 0xd9]);
}

export function segment(code: number, payload: Uint8Array | readonly number[]): Uint8Array {
  return joined([0xff, code, ...u16(payload.length + 2)], payload);
}

export function chunk(name: string, data: Uint8Array | readonly number[]): Uint8Array {
  const body = joined(text(name), data);
  return joined(u32(data.length), body, u32(crc32(body)));
}

export const PNG_HEAD = joined(
  [0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10],
  chunk("IHDR", [...u32(1), ...u32(1), 8, 0, 0, 0, 0]),
);
export const PNG_TAIL = joined(chunk("IDAT", deflateSync(Uint8Array.of(0, 0))), chunk("IEND", []));
export const png = (chunks: Uint8Array) => joined(PNG_HEAD, chunks, PNG_TAIL);

/** Zeros, compressed as often as there is room. */
export const bomb = (bytes: number) => deflateSync(new Uint8Array(bytes * 900));

export const GIF_HEAD = [...text("GIF89a"), 1, 0, 1, 0, 0x80, 0, 0, 0, 0, 0, 255, 255, 255];
export const GIF_FRAME = [0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0];
export const gif = (blocks: Uint8Array) => joined(GIF_HEAD, blocks, GIF_FRAME, [0x3b]);

export function riff(chunks: Uint8Array): Uint8Array {
  return joined(text("RIFF"), u32le(chunks.length + 4), text("WEBP"), chunks);
}

export const webpChunk = (name: string, data: Uint8Array | readonly number[]) =>
  joined(text(name), u32le(data.length), data, data.length & 1 ? [0] : []);
/** One black pixel without loss. */
export const VP8L = webpChunk(
  "VP8L",
  [0x2f, 0, 0, 0, 0, 0x07, 0xd0, 0xff, 0xfe, 0xf7, 0xbf, 0xff, 0x81, 0x88, 0x88, 0x08],
);
export const VP8X = (flags: number) => webpChunk("VP8X", [flags, 0, 0, 0, 0, 0, 0, 0, 0, 0]);

export function box(type: string, ...content: readonly (Uint8Array | readonly number[])[]): Uint8Array {
  const body = joined(...content);
  return joined(u32(body.length + 8), text(type), body);
}

export const FULL = [0, 0, 0, 0];

/** A HEIF file that says of its items what it is told to, and nothing else. */
export function heif(...boxes: readonly Uint8Array[]): Uint8Array {
  const brands = box("ftyp", text("heic"), u32(0), text("mif1heic"));
  const handler = box("hdlr", FULL, u32(0), text("pict"), new Uint8Array(13));
  return joined(brands, box("meta", FULL, handler, box("pitm", FULL, u16(1)), ...boxes), new Uint8Array(64));
}

const infe = (id: number, type: string) => box("infe", [2, 0, 0, 0], u16(id), u16(0), text(type), [0]);
export const itemsOf = (count: number, type: string) =>
  box("iinf", [1, 0, 0, 0], u32(count), together(Array.from({ length: count }, (_, index) => infe(index + 1, type))));

/** Configuration of 8 bits and 4:2:0, and a sequence header of one pixel. */
const AV1C = [0x81, 0x00, 0x0c, 0x00, 0x0a, 0x06, 0x18, 0x00, 0x00, 0x00, 0x00, 0x20];

/** Chunks from one on with a sample each. */
export const stscEntry = (firstChunk: number) => joined(u32(firstChunk), u32(1), u32(1));

/** A sequence of AV1 of one pixel, whose tables of samples are what it is told. */
export function avis(...tables: readonly Uint8Array[]): Uint8Array {
  return joined(box("ftyp", text("avis"), u32(0), text("avis")), box("moov", trackOf("pict", tables)));
}

/** A film of the same. */
export function film(...tables: readonly Uint8Array[]): Uint8Array {
  return joined(box("ftyp", text("isom"), u32(0), text("isomav01")), box("moov", trackOf("vide", tables)));
}

function trackOf(kind: string, tables: readonly Uint8Array[]): Uint8Array {
  const entry = joined(new Uint8Array(24), u16(1), u16(1), new Uint8Array(50), box("av1C", AV1C));
  const handler = box("hdlr", FULL, u32(0), text(kind), new Uint8Array(13));
  const stbl = box("stbl", box("stsd", FULL, u32(1), box("av01", entry)), ...tables);
  const mdhd = box("mdhd", FULL, u32(0), u32(0), u32(1_000), u32(0), u32(0));
  return box("trak", box("tkhd", new Uint8Array(84)), box("mdia", mdhd, handler, box("minf", stbl)));
}

/** Items of a HEIF file in two pieces each, which are a share of the file together, and may be those of other items. */
export function heifOfPieces(items: number, share: number): Uint8Array {
  const written = (bytes: number) => {
    const half = Math.floor((bytes * share) / 2);
    const pieces = [...u32(0), ...u32(half), ...u32(half), ...u32(half)];
    const locations = Array.from({ length: items }, (_, index) => [...u16(index + 1), 0, 0, 0, 2, ...pieces]);
    return heif(itemsOf(items, "hvc1"), box("iloc", [...FULL, 0x44, 0, ...u16(items)], together(locations)));
  };
  return written(written(0).length);
}

/** TIFF: one gray pixel and further entries in its only directory, or further directories. */
export function tiff(entries: readonly (readonly number[])[], behind: Uint8Array): Uint8Array {
  const own = [
    [...u16(256), ...u16(3), ...u32(1), ...u16(1), 0, 0],
    [...u16(257), ...u16(3), ...u32(1), ...u16(1), 0, 0],
    [...u16(258), ...u16(3), ...u32(1), ...u16(8), 0, 0],
    [...u16(262), ...u16(3), ...u32(1), ...u16(1), 0, 0],
    [...u16(273), ...u16(4), ...u32(1), ...u32(0)],
    [...u16(279), ...u16(4), ...u32(1), ...u32(1)],
  ];
  const all = [...own, ...entries].slice(0, 65_535);
  const directory = joined(u16(all.length), together(all), u32(8 + 2 + all.length * 12 + 4));
  return joined([0x4d, 0x4d, 0, 42, ...u32(8)], directory, behind);
}

export function jp2(boxes: Uint8Array, header: Uint8Array): Uint8Array {
  const signature = box("jP  ", [0x0d, 0x0a, 0x87, 0x0a]);
  const type = box("ftyp", text("jp2 "), u32(0), text("jp2 "));
  return joined(signature, type, box("jp2h", header), boxes, box("jp2c", [0xff, 0x4f, 0xff, 0x51]));
}

/** A JPEG XL file of boxes before its codestream, which ends behind its signature. */
export function jxl(boxes: Uint8Array): Uint8Array {
  const signature = box("JXL ", [0x0d, 0x0a, 0x87, 0x0a]);
  return joined(signature, box("ftyp", text("jxl "), u32(0), text("jxl ")), boxes, box("jxlc", [0xff, 0x0a]));
}

/** A JPEG 2000 codestream of a gray pixel with marker segments in its header, or in that of its only tile, which is empty. */
export function j2c(header: Uint8Array, tile: Uint8Array = new Uint8Array(0)): Uint8Array {
  const sides = [1, 1, 0, 0, 1, 1, 0, 0].flatMap(u32);
  const size = [0xff, 0x4f, 0xff, 0x51, ...u16(41), 0, 0, ...sides, ...u16(1), 7, 1, 1];
  const style = [0xff, 0x52, ...u16(12), 0, 0, ...u16(1), 0, 0, 4, 4, 0, 1];
  const quantization = [0xff, 0x5c, ...u16(4), 0x40, 0x40];
  const begin = [0xff, 0x90, ...u16(10), ...u16(0), ...u32(tile.length + 14), 0, 1];
  return joined(size, style, quantization, header, begin, tile, [0xff, 0x93, 0xff, 0xd9]);
}

/** A JPEG 2000 codestream of 255 x 257 pixels, each of them a tile, in empty parts that go round all tiles. */
export function j2cOfTiles(bytes: number): Uint8Array {
  const sides = [255, 257, 0, 0, 1, 1, 0, 0].flatMap(u32);
  const size = [0xff, 0x4f, 0xff, 0x51, ...u16(41), 0, 0, ...sides, ...u16(1), 7, 1, 1];
  const style = [0xff, 0x52, ...u16(12), 0, 0, ...u16(1), 0, 0, 4, 4, 0, 1];
  const quantization = [0xff, 0x5c, ...u16(4), 0x40, 0x40];
  const partOf = (index: number) => {
    const [tile, part] = [index % 65_535, Math.floor(index / 65_535)];
    return Uint8Array.of(0xff, 0x90, ...u16(10), ...u16(tile), ...u32(14), part, 0, 0xff, 0x93);
  };
  return joined(size, style, quantization, numbered(bytes, partOf), [0xff, 0xd9]);
}

/** A HEIC file of one item with a configuration and data, which is no picture. */
export function heicOf(config: Uint8Array, data: Uint8Array): Uint8Array {
  const written = (at: number) => {
    const properties = box("ipco", box("hvcC", config), box("ispe", FULL, u32(64), u32(64)));
    const associations = box("ipma", FULL, u32(1), u16(1), [2, 1, 2]);
    const place = box("iloc", FULL, [0x44, 0], u16(1), u16(1), u16(0), u16(1), u32(at), u32(data.length));
    return heif(itemsOf(1, "hvc1"), box("iprp", properties, associations), place);
  };
  return joined(written(written(0).length), data);
}

export function psd(resources: Uint8Array, layers: Uint8Array): Uint8Array {
  const head = [...text("8BPS"), 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, ...u32(1), ...u32(1), 0, 8, 0, 1];
  return joined(head, u32(0), u32(resources.length), resources, u32(layers.length), layers, [0, 0, 7]);
}

export const svg = (attributes: string, body: string) =>
  text(`<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"${attributes}>${body}</svg>`);

/** As many of something as have so many letters. */
export function listed(bytes: number, one: (index: number) => string): string {
  const parts: string[] = [];
  for (let index = 0, sum = 0; sum < bytes; index++) {
    const part = one(index);
    parts.push(part);
    sum += part.length;
  }
  return parts.join("");
}

/** TIFF: 16 gray pixels a row, packed, each row a strip of so many bytes, which are all the same bytes of the file. */
export function tiffOfStrips(strips: number, stripBytes: number): Uint8Array {
  const [short, long] = [3, 4];
  const entryCount = 8;
  const offsetsAt = 8 + 2 + entryCount * 12 + 4;
  const dataAt = offsetsAt + 8 * strips;
  const packedBits = 32_773;
  const entry = (tag: number, type: number, count: number, value: readonly number[]) => [
    ...u16(tag),
    ...u16(type),
    ...u32(count),
    ...value,
  ];
  const one = (tag: number, value: number) => entry(tag, short, 1, [...u16(value), 0, 0]);
  const list = (tag: number, at: number) => entry(tag, long, strips, u32(at));
  const directory = [one(256, 16), one(257, strips), one(258, 8), one(259, packedBits), one(262, 1)];
  directory.push(list(273, offsetsAt), one(278, 1), list(279, offsetsAt + 4 * strips));
  // A run of 16, again and again.
  const row = repeated([257 - 16, 7], stripBytes);
  const places = [repeated(u32(dataAt), 4 * strips), repeated(u32(stripBytes), 4 * strips)];
  return joined([0x4d, 0x4d, 0, 42, ...u32(8)], u16(entryCount), together(directory), u32(0), ...places, row);
}
