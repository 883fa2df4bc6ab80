/** HEIF files of one pixel whose parts multiply: units behind a picture, items and samples that share bytes. */
import { FULL, avis, box, joined, repeated, stscEntry, text, together, u16, u32 } from "./framed.ts";

/** A white pixel in AV1 as this service encodes one: a sequence header and a frame, and the box that describes them. */
const SEQUENCE = [0x0a, 0x08, 0x18, 0x00, 0x06, 0x28, 0x08, 0x68, 0x34, 0x20];
const FRAME = [
  0x32, 0x11, 0x18, 0xa7, 0x67, 0x65, 0x61, 0x88, 0x20, 0x82, 0x0a, 0x00, 0x90, 0x3d, 0x3e, 0xec, 0x60, 0x8a, 0x5e,
];
export const PIXEL = joined(SEQUENCE, FRAME);
export const AV1C = box("av1C", [0x81, 0, 0x4c, 0]);
/** Units of the pixel. */
export const OWN_UNITS = 2;

/** Units of AV1 that say nothing, of two bytes each. */
export const padding = (bytes: number) => repeated([0x7a, 0], bytes);

interface Written {
  readonly items: Uint8Array;
  readonly properties: readonly Uint8Array[];
  readonly associations: Uint8Array;
  readonly references?: Uint8Array;
  readonly groups?: Uint8Array;
  /** What lies behind all else, and the entries of `iloc` for where it begins. */
  readonly data: Uint8Array;
  readonly locations: (dataAt: number) => Uint8Array;
}

export function avifOf({ items, properties, associations, references, groups, data, locations }: Written): Uint8Array {
  const written = (dataAt: number) => {
    const brands = box("ftyp", text("avif"), u32(0), text("avifmif1"));
    const handler = box("hdlr", FULL, u32(0), text("pict"), new Uint8Array(13));
    const iprp = box("iprp", box("ipco", ...properties), box("ipma", FULL, associations));
    const iref = references ? box("iref", FULL, references) : new Uint8Array(0);
    const grpl = groups ? box("grpl", groups) : new Uint8Array(0);
    const meta = [handler, box("pitm", FULL, u16(1)), items, iprp, iref, grpl, box("iloc", locations(dataAt))];
    return joined(brands, box("meta", FULL, ...meta), u32(data.length + 8), text("mdat"));
  };
  return joined(written(written(0).length), data);
}

const infe = (id: number, type: string) => box("infe", [2, 0, 0, 0], u16(id), u16(0), text(type), [0]);
export const iinf = (...types: readonly string[]) =>
  box("iinf", FULL, u16(types.length), together(types.map((type, index) => infe(index + 1, type))));
export const ispe = (side: number) => box("ispe", FULL, u32(side), u32(side));

/** A still of one pixel, with bytes of units behind it, or with boxes among its properties. */
export function stillOf({ units = 0, properties = 0 } = {}): Uint8Array {
  const item = joined(PIXEL, units > 0 ? padding(units) : []);
  const idle = properties > 0 ? [repeated(box("free"), properties)] : [];
  return avifOf({
    items: iinf("av01"),
    properties: [AV1C, ispe(1), ...idle],
    associations: joined(u32(1), u16(1), [2, 1, 2]),
    data: item,
    locations: (at) => joined(FULL, [0x44, 0], u16(1), u16(1), u16(0), u16(1), u32(at), u32(item.length)),
  });
}

/** A still of which references without number say that others may be shown in its place, and groups without its number. */
export function groupedStill(bytes: number): Uint8Array {
  const members = joined(u32(2), u32(8_000), repeated(u32(7), 32_000));
  return avifOf({
    items: iinf("av01"),
    properties: [AV1C, ispe(1)],
    associations: joined(u32(1), u16(1), [2, 1, 2]),
    references: repeated(box("dimg", u16(1), u16(2), u16(1), u16(1)), 14 * 4_096),
    groups: repeated(box("altr", FULL, members), bytes),
    data: PIXEL,
    locations: (at) => joined(FULL, [0x44, 0], u16(1), u16(1), u16(0), u16(1), u32(at), u32(PIXEL.length)),
  });
}

/** A grid of so many places a side, which are all the same item in two pieces: the pixel, and zeros. */
export function gridOf(side: number, zeros: number): Uint8Array {
  const grid = [0, 0, side - 1, side - 1, ...u16(side), ...u16(side)];
  const piece = (at: number, length: number) => [...u32(at), ...u32(length)];
  return avifOf({
    items: iinf("grid", "av01"),
    properties: [AV1C, ispe(1), ispe(side)],
    associations: joined(u32(2), u16(1), [1, 3], u16(2), [2, 1, 2]),
    references: box("dimg", u16(1), u16(side * side), repeated(u16(2), side * side * 2)),
    data: joined(grid, PIXEL, new Uint8Array(zeros)),
    locations: (at) => {
      const [pixelAt, zerosAt] = [at + grid.length, at + grid.length + PIXEL.length];
      const own = [...u16(1), ...u16(0), ...u16(1), ...piece(at, grid.length)];
      const tile = [...u16(2), ...u16(0), ...u16(2), ...piece(pixelAt, PIXEL.length), ...piece(zerosAt, zeros)];
      return joined(FULL, [0x44, 0], u16(2), own, tile);
    },
  });
}

/** A sequence whose frames are all the same bytes: the pixel, and units behind it. */
export function sequenceOf(frames: number, units: number): Uint8Array {
  const sample = joined(PIXEL, padding(units));
  const written = (at: number) =>
    avis(
      box("stsz", FULL, u32(sample.length), u32(frames)),
      box("stts", FULL, u32(1), [...u32(frames), ...u32(1)]),
      box("stsc", FULL, u32(1), stscEntry(1)),
      box("stco", FULL, u32(frames), repeated(u32(at), frames * 4)),
    );
  const header = written(0).length;
  return joined(written(header + 8), u32(sample.length + 8), text("mdat"), sample);
}
