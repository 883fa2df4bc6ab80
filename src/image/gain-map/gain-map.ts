/**
 * Gain maps: small pictures beside a picture that say by how much each part of it is to be brighter on a screen that can show
 * that (ISO 21496-1). They make it one of high dynamic range, and lie over it whatever its size.
 */
import type { GainTerms } from "./terms.ts";

/** Bytes of the file of a map that is read: those in photographs have 50 to 700 KB. */
export const MAX_GAIN_MAP_BYTES = 8 << 20;

/** The gain map of an original. */
export interface GainMap {
  /**
   * A file of its values and nothing else: no metadata, and no profile. An orientation of it is how it has to be turned to lie
   * over the picture as that is stored.
   */
  readonly file: Uint8Array;
  readonly terms: GainTerms;
  /** What each value of the file stands for in the terms; absent: itself. */
  readonly levels?: Uint8Array | undefined;
  /** It has as many pixels as the picture because it is made of the picture: the least scale is enough for it. */
  readonly isPicture?: true;
  /** The profile of the colors that gains are applied in; absent: those of the picture. */
  readonly profile?: Uint8Array | undefined;
  /** The code point of the primaries that this profile has, where it stands for no more (ISO/IEC 23091-2, 8.1). */
  readonly primaries?: number | undefined;
}

/** Where files of a format have gain maps. */
export interface GainMapCarrier {
  /** The map of a file; undefined where it has none that can be applied. */
  readonly read: (bytes: Uint8Array) => GainMap | undefined;
  /**
   * A file without a map with one, whose own file is of the same format; absent where the format is only read. What is said
   * twice, for older readers, is said once where the file would have more than `mostBytes`.
   */
  readonly write?: (bytes: Uint8Array, map: GainMap, mostBytes?: number) => Uint8Array;
  /** About how much larger a file is with a map; where the format is written. */
  readonly addedBytes?: (map: GainMap) => number;
  /** Browsers that show gain maps show those in files of this format. */
  readonly web?: true;
}
