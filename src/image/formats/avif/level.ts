/** Levels: what a decoder has to be able to (AV1 bitstream specification, annex A.3). */
import type { Size } from "../../pixels/geometry.ts";
import type { CodedLayer } from "../heif/write.ts";

/** seq_level_idx, and what a still of that level may have. */
interface Level {
  readonly index: number;
  readonly pixels: number;
  readonly width: number;
  readonly height: number;
  readonly tiles: number;
  readonly columns: number;
}

/** Those that a larger picture needs, from 2.0 to 6.0. */
const LEVELS: readonly Level[] = [
  { index: 0, pixels: 147_456, width: 2_048, height: 1_152, tiles: 8, columns: 4 },
  { index: 1, pixels: 278_784, width: 2_816, height: 1_584, tiles: 8, columns: 4 },
  { index: 4, pixels: 665_856, width: 4_352, height: 2_448, tiles: 16, columns: 6 },
  { index: 5, pixels: 1_065_024, width: 5_504, height: 3_096, tiles: 16, columns: 6 },
  { index: 8, pixels: 2_359_296, width: 6_144, height: 3_456, tiles: 32, columns: 8 },
  { index: 12, pixels: 8_912_896, width: 8_192, height: 4_352, tiles: 64, columns: 8 },
  { index: 16, pixels: 35_651_584, width: 16_384, height: 8_704, tiles: 128, columns: 16 },
];
/** No level says what a decoder needs. */
const MAXIMUM = 31;

/** The most that the brands of the profiles of AVIF allow: 5.1 of Main, 6.0 of High (AVIF, section 8). */
const MAX_LEVELS = { MA1B: 13, MA1A: 16 } as const;
/** Of the second byte of av1C, below those of the profile. */
const LEVEL_BITS = 5;

/** seq_level_idx of a picture of these tiles. */
export function levelOf({ width, height }: Size, tile: Size): number {
  const columns = Math.ceil(width / tile.width);
  const tiles = columns * Math.ceil(height / tile.height);
  const fits = (level: Level) =>
    width * height <= level.pixels &&
    width <= level.width &&
    height <= level.height &&
    tiles <= level.tiles &&
    columns <= level.columns;
  return LEVELS.find(fits)?.index ?? MAXIMUM;
}

/** The brand of the profile of AVIF that a bitstream has, by its av1C, if it has any. */
export function profileBrands({ config }: CodedLayer): readonly string[] {
  const [, said = 0] = config;
  const brand = said >> LEVEL_BITS === 0 ? "MA1B" : "MA1A";
  const level = said & (2 ** LEVEL_BITS - 1);
  return level <= MAX_LEVELS[brand] ? [brand] : [];
}
