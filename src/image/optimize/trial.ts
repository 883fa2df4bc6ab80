/** Renditions of a picture, made to be looked at: each once, written in haste or not at all. */
import { toSrgb } from "../color/convert.ts";
import type { EncodeSettings, FormatDefinition, Preview } from "../format.ts";
import { whole } from "../geometry.ts";
import { firstFrame } from "../picture.ts";
import type { Rows } from "../rows.ts";
import type { Curve } from "./quality.ts";
import { BACKGROUNDS } from "./score.ts";

export interface Found {
  readonly bytes: Uint8Array;
  readonly score: number;
  /** A file without loss would be larger, however thoroughly it is written; absent where that is not known. */
  readonly beatsExact?: boolean;
}

/** A rendition that was looked at. Its score and its bytes are found when they are asked for. */
export interface Trial extends Found {
  readonly quality: number;
  /** Makes sure of a score that was taken on one background: whether it is what it seemed. */
  readonly confirm: () => boolean;
}

export type Encoder = Pick<
  FormatDefinition,
  "can" | "probe" | "open" | "qualityStep" | "leastQuality" | "nearLosslessLevels"
> &
  Required<Pick<FormatDefinition, "encode">>;

/** How a picture is encoded. */
export type EncodeWhole = (settings: EncodeSettings) => Uint8Array;

/** How renditions are made, to be looked at. */
export interface Maker {
  readonly encode: EncodeWhole;
  /** What `encode` will show, where that is found without writing a file. */
  readonly preview?: ((settings: EncodeSettings) => Preview) | undefined;
}

type ScoreOf = (rendition: Rows, background?: number) => number;

/** How renditions are looked at. */
export interface Look {
  readonly format: Encoder;
  readonly scoreOf: ScoreOf;
  /** Backgrounds that show different things. */
  readonly backgrounds: readonly [worse: number, ...others: number[]] | null;
  /** Once a rendition was looked at on all of them, others are at first looked at only where it looked worst. */
  worst: number | undefined;
}

export function lookOn(format: Encoder, opaque: boolean, scoreOf: ScoreOf): Look {
  return { format, scoreOf, backgrounds: opaque ? null : BACKGROUNDS, worst: undefined };
}

/**
 * What comes of qualities. Each is tried once, and written in haste and in a single scan: a decoder of several scans
 * keeps the whole picture in memory, one of a single scan some rows.
 */
export function curveOf({ encode, preview }: Maker, settings: EncodeSettings, look: Look): Curve<Trial> {
  const known = new Map<string, Omit<Trial, "quality">>();
  return (quality) => {
    const tried = { ...settings, quality, progressive: false, trial: true };
    const shown = preview?.(tried);
    const key = shown?.key ?? `${quality}`;
    const make = () => encode(tried);
    const made = known.get(key) ?? (shown ? previewed(shown, make, look) : looked(make(), look));
    known.set(key, made);
    return {
      quality,
      get score() {
        return made.score;
      },
      get bytes() {
        return made.bytes;
      },
      confirm: made.confirm,
    };
  };
}

function looked(bytes: Uint8Array, { format, scoreOf }: Look): Omit<Trial, "quality"> {
  return { bytes, score: scoreOf(decoded(format, bytes)), confirm: () => true };
}

function previewed({ exact, open }: Preview, make: () => Uint8Array, look: Look): Omit<Trial, "quality"> {
  const scores = new Map<number | undefined, number>();
  const scoreOn = (backgrounds: readonly (number | undefined)[]) => {
    for (const background of backgrounds) {
      if (!scores.has(background)) scores.set(background, look.scoreOf(open(), background));
    }
    return Math.min(...scores.values());
  };
  const all = look.backgrounds ?? [undefined];
  let bytes: Uint8Array | undefined;
  return {
    get score() {
      if (exact) return 100;
      const score = scoreOn(look.worst === undefined ? all : [look.worst]);
      look.worst ??= look.backgrounds?.find((background) => scores.get(background) === score);
      return score;
    },
    get bytes() {
      return (bytes ??= make());
    },
    confirm: () => scores.size === 0 || Math.min(...scores.values()) === scoreOn(all),
  };
}

/** What a search finds once its score is sure: it is made again where a score was not what it seemed. */
export function surely(search: () => Trial): Trial {
  for (;;) {
    const found = search();
    if (found.confirm()) return found;
  }
}

/** About the points that are lost at a quality, where that is known without looking. */
export function damageOf(
  { preview }: Pick<Maker, "preview">,
  settings: EncodeSettings,
): ((quality: number) => number) | undefined {
  return preview && ((quality) => preview({ ...settings, quality }).damage);
}

/** The pixels of a file that a format wrote. */
export function decoded(format: Pick<FormatDefinition, "probe" | "open">, bytes: Uint8Array): Rows {
  const facts = format.probe(bytes);
  const { width, height, frames, loops, alpha, profile, colorspace } = facts;
  const demand = { box: whole(facts), width, height };
  const open = () => format.open(bytes, facts, demand);
  const rows = firstFrame({ width, height, frames, loops, opaque: !alpha, open });
  return toSrgb(rows, profile, colorspace);
}
