/** Attempts that encode the picture once, at a quality that is known. */
import { type Estimate, estimated, serial } from "../../../wasm/estimate.ts";
import type { TimeSlice } from "../../scheduler/time-slice.ts";
import type { Facts } from "../codec/format.ts";
import type { EncodeSettings } from "../codec/writer.ts";
import { bandsOfFirst } from "../pixels/bands.ts";
import type { Extent, Picture } from "../pixels/picture.ts";
import { resizedOnly } from "../plan/plan.ts";
import type { Attempt } from "./attempt.ts";
import { encodeEstimate, sourceEstimate } from "./estimates.ts";
import { isTiny } from "./recompress.ts";
import type { Rendition } from "./rendition.ts";
import { searchedScore } from "./search-pixels.ts";
import { canDivide, sixteenBitTask, type Task, writableIn } from "./task.ts";

/**
 * Re-encodes the planes of a file of the same format of which at most the size changes: pixels are never made of them.
 */
export function reencodePlanes(task: Task): Attempt | null {
  const { stored, plan, format, objective, settings, unchanged } = task;
  const isBlind = objective.kind === "quality" || (objective.kind === "smart" && searchedScore(task) === undefined);
  const isExact = objective.kind === "lossless" && !unchanged;
  if (format !== stored.format || stored.space || (!isBlind && !isExact)) return null;
  const wanted = resizedOnly(plan);
  const { coefficients } = format;
  const shortcut = wanted && coefficients?.resize(stored.bytes, settings, wanted, stored.stopwatch);
  if (!shortcut) return null;
  return {
    name: "re-encode planes",
    estimate: shortcut.estimate,
    async run(session, timeSlice) {
      const made = await shortcut.run(timeSlice);
      return made && { ...session.rendition({ bytes: made }), ...searchedBy(task, settings) };
    },
  };
}

/**
 * Encodes without loss what may lose nothing, or at the highest quality in a format that always loses something. Of a
 * file that stays what it is, where it cannot be written anew; where it cannot be handed out either, after that failed.
 */
export function encodeExactly(task: Task): Attempt | null {
  const { objective, unchanged, stored, format, settings } = task;
  const cannotRecompress = !stored.format.recompress && format.can.lossless;
  const cannotStay = unchanged?.turn === 1 && !unchanged.original;
  if (objective.kind !== "lossless" || (unchanged && !cannotRecompress && !cannotStay)) return null;
  // Nothing is as exact as the file that there is: of floating point for instance.
  if (unchanged?.original && isSixteenBit(stored.facts)) return null;
  const sixteenBit = sixteenBitTask(task);
  const attempt = sixteenBit ? encodedSixteenBit(task, sixteenBit) : encoded(task, "encode exactly", settings);
  return attempt && cannotStay ? { ...attempt, isFallback: true } : attempt;
}

/** Bits of samples as they are decoded and written. */
const SAMPLE_BITS = 8;

/** Whether a file has samples of more bits than are mostly written: it loses them unless it stays as it is. */
function isSixteenBit({ depth, colorspace, alpha }: Facts): boolean {
  const colors = colorspace === "Gray" ? 1 : colorspace === "CMYK" || colorspace === "YCCK" ? 4 : 3;
  return depth > SAMPLE_BITS * (colors + (alpha ? 1 : 0));
}

/** Encodes at the quality that is asked for, or at that which reaches a preset's score on average. */
export function encodeBlind(task: Task): Attempt | null {
  const { objective, settings } = task;
  if (objective.kind === "lossless" || objective.kind === "size" || isTiny(task)) return null;
  const isSearched = searchedScore(task) !== undefined;
  if (isSearched && canDivide(task)) return null;
  return encoded(sixteenBitTask(task) ?? task, "encode blind", settings, isSearched);
}

/** Encodes without loss a picture that there is no memory to encode otherwise. */
export function encodeExactlyInstead(task: Task): Attempt | null {
  const isPossible = task.objective.kind === "smart" && task.format.can.lossless && !isTiny(task);
  const attempt = isPossible ? encoded(task, "encode exactly", { ...task.settings, lossless: true }, true) : null;
  return attempt && { ...attempt, isUnlikely: true };
}

/** Encodes an animation without loss where a search through its files found that it is drawn, which may take less. */
export function encodeDrawnExactly(task: Task): Attempt | null {
  const { objective, format, picture, settings, unchanged } = task;
  const isPossible = objective.kind === "smart" && format.write?.nearLosslessLevels !== undefined && !unchanged;
  if (!isPossible || picture.frames === 1) return null;
  const attempt = encoded(task, "encode exactly", { ...settings, lossless: true });
  const mayBeat: Attempt["mayBeat"] = (_, { exactBesideBytes }) => exactBesideBytes > 0;
  return attempt && { ...attempt, isBesides: true, isUnlikely: true, mayBeat };
}

/** Encodes without loss a picture of more than 8 bits, unless it is one of 8 bits that is stored as one of 16. */
function encodedSixteenBit(task: Task, sixteenBit: Task): Attempt | null {
  const exact = encoded(sixteenBit, "encode exactly", task.settings);
  const shallow = encoded(task, "encode exactly", task.settings);
  if (!exact || !shallow) return null;
  return {
    ...exact,
    estimate: serial(exact.estimate, needsDepthEstimate(sixteenBit.picture, sourceEstimate(sixteenBit))),
    async run(session, timeSlice, tier) {
      const { run } = (await needsDepth(sixteenBit.picture, timeSlice)) ? exact : shallow;
      return run(session, timeSlice, tier);
    },
  };
}

/** Says of a file that is to look as a preset promises that its quality is what does on average. */
function searchedBy({ objective }: Task, { lossless }: EncodeSettings): Pick<Rendition, "searched"> {
  return objective.kind === "smart" && !lossless ? { searched: false } : {};
}

function encoded(task: Task, name: Attempt["name"], settings: EncodeSettings, isFallback = false): Attempt | null {
  const format = writableIn(task);
  if (!format) return null;
  return {
    name,
    estimate: encodeEstimate(task, format, settings),
    isFallback,
    async run(session, timeSlice) {
      const [predicted] = session.predictions;
      const wanted = name === "encode blind" && predicted ? { ...settings, ...predicted } : settings;
      const picture = session.pictureFor(task);
      const bytes = await format.write.encode(picture, wanted, timeSlice);
      const made = session.rendition({ bytes, ...(settings.lossless && { score: 100 }) });
      return {
        ...made,
        ...searchedBy(task, wanted),
        ...(session.wasCutOff && !settings.lossless && { isCutOff: true }),
      };
    },
  };
}

/** To see whether a pixel is one of 8 bits a sample. */
const LOOK_NANOSECONDS = 3;

/** Whether some sample of a picture whose rows are 16-bit is none of 8 bits: those are twice the same byte. */
async function needsDepth(picture: Picture, timeSlice: TimeSlice): Promise<boolean> {
  for await (const band of bandsOfFirst(picture, timeSlice, LOOK_NANOSECONDS)) {
    const words = new Uint32Array(band.buffer, band.byteOffset, band.length / 4);
    let unequal = 0;
    for (let at = 0; at < words.length; at++) unequal |= (words[at]! >>> 8) ^ words[at]!;
    if (unequal & 0x00ff00ff) return true;
  }
  return false;
}

/** The estimate of `needsDepth` beside that of the picture, read to its end: few pictures are. */
function needsDepthEstimate({ width, height }: Extent, source: Estimate): Estimate {
  return serial(source, estimated(0, width * height, LOOK_NANOSECONDS));
}
