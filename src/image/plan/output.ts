/** The members `output` and `optimize` of a request: what file is wanted. */
import * as v from "valibot";

import { flag, integer, oneOf, record } from "../../fields.ts";
import { MAX_NAME_CHARACTERS } from "../../limits.ts";
import { MAX_ICON_SIDE_PIXELS, MAX_ICON_SIDES, MAX_TARGET_BYTES } from "../../limits/pictures.ts";
import type { FormatDefinition } from "../codec/format.ts";
import type { Motion } from "../codec/role.ts";
import { PROFILE_OPTIONS } from "../color/profile-option.ts";
import { FORMATS, type FormatName } from "../formats.ts";
import { HDR_OPTIONS } from "../gain-map/gain-map-option.ts";
import { METADATA_OPTIONS, PROVENANCE_OPTIONS } from "../metadata/metadata-option.ts";
import type { Size } from "../pixels/geometry.ts";

type Writable = { [Name in FormatName]: (typeof FORMATS)[Name] extends { write: unknown } ? Name : never }[FormatName];

/** Every name under which a request may ask for a format: the registry's names and file extensions. */
const OUTPUT_NAMES = new Map<string, FormatName>(
  Object.entries<FormatDefinition>(FORMATS)
    .filter(([, row]) => row.write)
    .flatMap(([name, row]) => [name, ...row.extensions].map((word) => [word, name as FormatName] as const)),
);

/** The format that a request's `output.format` names. */
export function outputFormat(word: string): Writable {
  return OUTPUT_NAMES.get(word) as Writable;
}

/** The format that a request names; undefined where it leaves it open. */
export function namedFormat(
  output: { readonly format?: string | undefined } | undefined,
): FormatDefinition | undefined {
  const word = output?.format;
  return word === undefined || word === "auto" ? undefined : FORMATS[outputFormat(word)];
}

/** What a picture needs of a format, and who is to show it. */
interface Needs {
  readonly alpha: boolean;
  /** Whether a format suits in other ways; all do by default. */
  readonly fits?: (format: FormatDefinition) => boolean;
}

/** The first format that can have a picture, in the order of a task; the last of all where none can. */
export function chosenFor(task: "draft" | "fallback", motion: Motion, { alpha, fits = () => true }: Needs): FormatName {
  const placeIn = ({ role }: FormatDefinition) => role?.[task]?.[motion] ?? Infinity;
  const able = Object.entries<FormatDefinition>(FORMATS)
    .filter(([, row]) => placeIn(row) < Infinity)
    .toSorted(([, one], [, other]) => placeIn(one) - placeIn(other));
  const [name = "png"] = able.find(([, row]) => (row.can.alpha || !alpha) && fits(row)) ?? able.at(-1) ?? [];
  return name as FormatName;
}

const sizesRule = `must be a list of 1 to ${MAX_ICON_SIDES} integers`;

const signerRule = "must be the id of a saved signer";

const OutputMembers = record({
  format: v.optional(oneOf(["auto", ...OUTPUT_NAMES.keys()])),
  // Pixels of a side of each square in the file, in a format that holds several.
  sizes: v.optional(
    v.pipe(
      v.array(integer(1, MAX_ICON_SIDE_PIXELS), sizesRule),
      v.minLength(1, sizesRule),
      v.maxLength(MAX_ICON_SIDES, sizesRule),
      v.check((sizes) => new Set(sizes).size === sizes.length, "must name every size once"),
    ),
  ),
  quality: v.optional(integer(1, 100)),
  // Not named, it is progressive, but where baseline takes fewer bytes.
  encoding: v.optional(oneOf(["baseline", "progressive"])),
  // Animations stay animations where the format can hold them; false: the first frame alone.
  animation: v.optional(flag()),
  // What is kept of the original's EXIF, XMP and IPTC; nothing by default.
  metadata: v.optional(oneOf(METADATA_OPTIONS)),
  // What becomes of what the original says of where it is from.
  provenance: v.optional(oneOf(PROVENANCE_OPTIONS)),
  // Who signs: one of the signers that the account has saved, by its id. Not named, it is the newest.
  signer: v.optional(v.pipe(v.string(signerRule), v.regex(/^[A-Za-z0-9]{10}$/, signerRule))),
  // The color space of the result; sRGB by default.
  profile: v.optional(oneOf(PROFILE_OPTIONS)),
  // Whether the result keeps what makes its original one of high dynamic range; not by default.
  hdr: v.optional(oneOf(HDR_OPTIONS)),
  name: v.optional(
    v.pipe(
      v.string("must be a text"),
      // oxlint-disable-next-line no-control-regex -- refusing control characters is the point
      v.regex(/^(?!\.{1,2}$)[^/\\\u0000-\u001f\u007f]+$/, "must be a file name without slashes and control characters"),
      v.maxLength(MAX_NAME_CHARACTERS, `must be at most ${MAX_NAME_CHARACTERS} characters`),
    ),
  ),
});

export const Output = v.pipe(
  OutputMembers,
  v.check(
    (output) => output.sizes === undefined || namedFormat(output)?.can.sides !== undefined,
    "must have sizes with ico only",
  ),
  v.check(
    ({ signer, provenance }) => signer === undefined || provenance !== "drop",
    "must not have signer with provenance drop",
  ),
);
export type Output = v.InferOutput<typeof Output>;

/** The squares that a request asks for, if its format holds several. */
export function sidesOf(output: Output | undefined): Sides | undefined {
  const sides = namedFormat(output)?.can.sides;
  return sides && { ...sides, named: output?.sizes };
}

export type Sides = NonNullable<FormatDefinition["can"]["sides"]> & { readonly named: readonly number[] | undefined };

/** Sides of the squares of a picture: those that are named, or the usual ones and its own where it is small enough. */
export function sidesFor({ most, usual, named }: Sides, { width, height }: Size): readonly number[] {
  const own = Math.max(width, height);
  return (
    named?.toSorted((one, other) => one - other) ?? (own > most ? usual : [...usual.filter((side) => side < own), own])
  );
}

export const PRESETS = ["low", "medium", "high", "ultra"] as const;
export type Preset = (typeof PRESETS)[number];

const EFFORTS = ["fast", "balanced", "best"] as const;
/** How much time it is worth to come close to the score of a preset. */
export type Effort = (typeof EFFORTS)[number];

export const Optimize = v.pipe(
  record({
    compression: v.optional(oneOf([...PRESETS, "lossless"])),
    effort: v.optional(oneOf(EFFORTS)),
    lossless: v.optional(flag(), false),
    quality: v.optional(integer(1, 100)),
    target_bytes: v.optional(integer(1, MAX_TARGET_BYTES)),
  }),
  v.check(
    ({ target_bytes: bytes, quality, lossless, compression }) =>
      bytes === undefined || (quality === undefined && !lossless && compression === undefined),
    "must have target_bytes alone: it stands for a quality, a preset and lossless",
  ),
  v.check(
    ({ target_bytes: bytes, quality, lossless, compression, effort }) =>
      effort === undefined || (bytes === undefined && quality === undefined && !lossless && compression !== "lossless"),
    "must have effort with a preset only: without one, no quality is searched for",
  ),
);
export type Optimize = v.InferOutput<typeof Optimize>;

/** How a result is to be encoded. */
export type Objective =
  | { readonly kind: "lossless" }
  | { readonly kind: "quality"; readonly quality: number }
  /** The best that is not larger than this. */
  | {
      readonly kind: "size";
      readonly bytes: number;
      /** What the file has besides its picture, which was taken off. */
      readonly besides?: number;
    }
  | { readonly kind: "smart"; readonly preset: Preset; readonly effort?: Effort | undefined };

/** A size before everything; lossless before `optimize.quality` before `output.quality` before the preset. */
export function objectiveOf(output: Output | undefined, optimize: Optimize | undefined): Objective {
  const compression = optimize?.compression;
  if (optimize?.target_bytes !== undefined) return { kind: "size", bytes: optimize.target_bytes };
  if (optimize?.lossless || compression === "lossless") return { kind: "lossless" };
  const quality = optimize?.quality ?? output?.quality;
  if (quality !== undefined) return { kind: "quality", quality };
  return { kind: "smart", preset: compression ?? "medium", effort: optimize?.effort };
}
