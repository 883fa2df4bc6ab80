/** What properties of items say (ISO/IEC 23008-12, section 6.5; ISO/IEC 14496-12, sections 12.1.4 and 12.1.5). */
import type { SampleMeaning } from "../../../../wasm/canvas.ts";
import { type Box as Region, composeOrientations, invertOrientation, type Orientation } from "../../pixels/geometry.ts";
import { isWhole, type Size, turnBox, turnSize, whole } from "../../pixels/geometry.ts";
import { type Box, damaged, Fields, fullBox } from "./bytes.ts";
import type { Layers } from "./codec.ts";

/** `ispe`: the size of an item before it is cropped and turned. */
export function sizeOf(properties: readonly Box[]): Size | undefined {
  const ispe = find(properties, "ispe");
  if (!ispe) return undefined;
  const { fields } = fullBox(ispe);
  const width = fields.number(4);
  return { width, height: fields.number(4) };
}

/** The payload of the first property of a type. */
export function find(properties: readonly Box[], type: string): Uint8Array | undefined {
  return properties.find((box) => box.type === type)?.payload;
}

/** `a1op` and `lsel` (AV1 Image File Format, 2.3.2.1; ISO/IEC 23008-12, 6.5.11): which layers an item of this size shows. */
export function layersOf(properties: readonly Box[], size: Size): Layers {
  const point = find(properties, "a1op");
  const selected = find(properties, "lsel");
  const layer = selected && new Fields(selected).number(2);
  return { size, point: point ? new Fields(point).number(1) : 0, layer: layer === ANY_LAYER ? undefined : layer };
}

/** `lsel` of what is left to the reader, who takes the last layer. */
const ANY_LAYER = 0xffff;

export interface Transform {
  /** What remains of the picture, in whole pixels before it is turned. */
  readonly crop: Region;
  readonly orientation: Orientation;
}

/**
 * `clap`, `irot` and `imir`, one after the other in the order of the properties. EXIF data of a HEIF file says nothing
 * about its orientation (ISO/IEC 23008-12, A.2.1).
 */
export function transformOf(properties: readonly Box[], size: Size): Transform {
  let crop = whole(size);
  let orientation: Orientation = 1;
  for (const { type, payload } of properties) {
    if (type === "clap") {
      const upright = turnSize(crop, orientation);
      const region = turnBox(apertureOf(payload, upright), upright, invertOrientation(orientation));
      crop = { ...region, x: crop.x + region.x, y: crop.y + region.y };
    } else if (type === "irot" || type === "imir") {
      const turns = type === "irot" ? ROTATIONS : MIRRORS;
      const turn = turns[new Fields(payload).number(1) & (turns.length - 1)] ?? 1;
      orientation = composeOrientations(orientation, turn);
    }
  }
  return { crop, orientation };
}

/** Quarter turns counterclockwise. */
const ROTATIONS: readonly Orientation[] = [1, 8, 3, 6];
/** 0 exchanges top and bottom, 1 left and right (ISO/IEC 23008-12:2022, 6.5.12). */
const MIRRORS: readonly Orientation[] = [4, 2];

/** How an item must be turned to be upright. */
export function orientationOf(properties: readonly Box[]): Orientation {
  const turns = properties.filter(({ type }) => type === "irot" || type === "imir");
  return transformOf(turns, { width: 1, height: 1 }).orientation;
}

/** The properties that turn an item so. */
export function turnsOf(orientation: Orientation): readonly Box[] {
  const turn = (type: string, value: number): Box => ({ type, payload: Uint8Array.of(value), cut: false });
  for (const angle of ROTATIONS.keys()) {
    const rotated = angle === 0 ? [] : [turn("irot", angle)];
    for (const all of [rotated, [...rotated, turn("imir", 1)]]) if (orientationOf(all) === orientation) return all;
  }
  return [];
}

/** The clean aperture: a size and the offset of its center from the center of the picture, as fractions. */
function apertureOf(clap: Uint8Array, size: Size): Region {
  const fields = new Fields(clap);
  const fraction = () => {
    const numerator = fields.signed();
    const denominator = fields.signed();
    if (denominator <= 0) throw damaged();
    return numerator / denominator;
  };
  const [width, height] = [Math.round(fraction()), Math.round(fraction())];
  const left = Math.floor(fraction() + (size.width - width) / 2);
  const top = Math.floor(fraction() + (size.height - height) / 2);
  const x = Math.max(0, left);
  const y = Math.max(0, top);
  const box = {
    x,
    y,
    width: Math.min(size.width, left + width) - x,
    height: Math.min(size.height, top + height) - y,
  };
  if (!(box.width > 0 && box.height > 0)) throw damaged();
  return isWhole(box, size) ? whole(size) : box;
}

export interface Colors {
  readonly samples: SampleMeaning | undefined;
  /** The ICC profile that the file carries. */
  readonly profile: Uint8Array | undefined;
  /** ISO/IEC 23091-2, sections 8.1 and 8.2, where the file says them. */
  readonly primaries: number | undefined;
  readonly transfer: number | undefined;
}

/** `colr`: there may be one with numbers and one with an ICC profile. */
export function colorsOf(properties: readonly Box[]): Colors {
  let colors: Colors = { samples: undefined, profile: undefined, primaries: undefined, transfer: undefined };
  for (const { type, payload } of properties) {
    if (type !== "colr") continue;
    const fields = new Fields(payload);
    const kind = fields.type();
    if (kind === "prof" || kind === "rICC") colors = { ...colors, profile: fields.rest() };
    if (kind !== "nclx") continue;
    const [primaries, transfer, matrix] = [fields.number(2), fields.number(2), fields.number(2)];
    // Writers of QuickTime leave the last byte out.
    const fullRange = fields.left > 0 && fields.number(1) >= 128;
    colors = { ...colors, primaries, transfer, samples: { matrix: matrixOf(matrix, primaries), fullRange } };
  }
  return colors;
}

/** Matrices that follow from the primaries (12 and 13) are those that television has for them, if it has. */
function matrixOf(matrix: number, primaries: number): number {
  const derived = matrix === 12 || matrix === 13;
  return derived && (primaries === 1 || primaries === 9) ? primaries : matrix;
}

const ALPHA = new Set(["urn:mpeg:hevc:2015:auxid:1", "urn:mpeg:mpegB:cicp:systems:auxiliary:alpha"]);

/** `auxC`: whether an auxiliary picture is the alpha channel of its master. */
export function isAlpha(properties: readonly Box[]): boolean {
  const auxC = find(properties, "auxC");
  return auxC !== undefined && ALPHA.has(fullBox(auxC).fields.text());
}
