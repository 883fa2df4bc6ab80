/** Renditions of a picture that are made to be looked at: each once, written in a fast pass or not at all. */
import type { TimeSlice } from "../../scheduler/time-slice.ts";
import { conversionEstimate, toSpace } from "../codec/convert-colors.ts";
import type { FormatDefinition } from "../codec/format.ts";
import { decodedFrames, paced } from "../codec/metered-rows.ts";
import type { EncodeSettings, Preview, Variant } from "../codec/writer.ts";
import type { Space } from "../color/space.ts";
import { whole } from "../pixels/geometry.ts";
import { firstFrame, type Picture } from "../pixels/picture.ts";
import type { Rows } from "../pixels/rows.ts";
import type { Findings } from "./rendition.ts";
import type { Sample } from "./sample.ts";
import { type Judgement, SAME } from "./second-opinion.ts";
import type { Trace } from "./trace.ts";

/** A file and how it looks. */
export interface Found extends Findings {
  readonly bytes: Uint8Array;
  readonly score: number;
}

/** A rendition at a quality. What is asked of it is found out once, by work: nothing is encoded or scored before. */
export interface Probe {
  readonly quality: number;
  /** In points: the stricter of both opinions. */
  readonly score: () => Promise<number>;
  /** What the metric says; absent where that is all. */
  readonly metric?: () => Promise<number>;
  readonly bytes: () => Promise<Uint8Array>;
  /** What `bytes` hardly exceeds, where that is known before they are made. */
  readonly mostBytes?: number | undefined;
}

/** How a picture is encoded. */
export type Encode = (settings: EncodeSettings) => Promise<Uint8Array>;

/** A whole picture as a file. */
export type Written = Pick<Probe, "quality" | "bytes">;

/** The files of a picture at qualities, each written when it is asked for. */
export function fileAt(
  encode: Encode,
  settings: EncodeSettings,
  trace: Trace | undefined,
): (quality: number) => Promise<Written> {
  return async (quality) => {
    const bytes = await encode({ ...settings, quality });
    trace?.({ kind: "encoded", part: "whole", settings: { ...settings, quality }, bytes: bytes.length });
    return { quality, bytes: async () => bytes };
  };
}

/** How renditions are made, to be looked at. */
export interface Encoder {
  readonly encode: Encode;
  /** What `encode` will show, where that is found without writing a file. */
  readonly preview?: ((settings: EncodeSettings) => Promise<Preview>) | undefined;
  /** What a file shows at a value of `nearLossless`, where that is known without writing it. */
  readonly nearly?: ((level: number) => Picture) | undefined;
}

/** A way to encode: one for tries, which show what the picture shows, and one to finish with. */
export interface PictureEncoder extends Encoder {
  readonly finish: Encode;
  /** This way with the sample in place of the picture. */
  readonly onSample: (sample: Sample) => Promise<Encoder>;
  /** What there is a choice among, unless the settings say it. */
  readonly variants: readonly Variant[];
}

/** A way with its settings, and what it makes of the picture at its best. */
export interface EncodedBy {
  readonly encoder: PictureEncoder;
  readonly settings: EncodeSettings;
  readonly best: Probe;
}

/** What comes of qualities. */
export type ProbeAt = (quality: number) => Probe | Promise<Probe>;

/** Told once of each rendition what is said of it; of one that was written with its bytes. */
type Told = (quality: number, judgement: Judgement, bytes?: Uint8Array) => void;

/** What says how renditions look. */
export interface Judge {
  readonly ofRows: (rendition: Rows) => Promise<Judgement>;
  readonly ofFile: (bytes: Uint8Array) => Promise<Judgement>;
  /** The same of what can be opened several times; absent: it is opened once. */
  readonly ofShown?: ((open: () => Promise<Rows>) => Promise<Judgement>) | undefined;
  readonly timeSlice: TimeSlice;
  readonly told?: Told | undefined;
}

/** A judge of what a format makes of a picture, by one of its rows. */
export function judgeBy(
  ofRows: Judge["ofRows"],
  format: FormatDefinition,
  { space }: Pick<Picture, "space">,
  timeSlice: TimeSlice,
  told?: Told,
): Judge {
  return { ofRows, ofFile: async (bytes) => ofRows(await decoded(format, bytes, timeSlice, space)), timeSlice, told };
}

/**
 * How what is tried is written: as it is to stay, or otherwise. A decoder of several scans keeps the whole picture in
 * memory, one of a single scan some rows.
 */
const MODES = {
  fast: { progressive: false, probe: true },
  oneScan: { progressive: false },
  stays: {},
} as const satisfies Record<string, Partial<EncodeSettings>>;
export type EncoderMode = keyof typeof MODES;

/** What comes of qualities. Each is tried once, and written in a fast pass and in a single scan unless told otherwise. */
export function probeAtOf(
  { encode, preview }: Encoder,
  settings: EncodeSettings,
  judge: Judge,
  mode: EncoderMode = "fast",
): ProbeAt {
  const known = new Map<string, Probe>();
  return async (quality) => {
    const tried = { ...settings, quality, ...MODES[mode] };
    const shown = await preview?.(tried);
    const key = shown?.key ?? `${quality}`;
    const made = known.get(key) ?? probeOf(quality, shown ?? (await encode(tried)), () => encode(tried), judge);
    known.set(key, made);
    return { ...made, quality };
  };
}

/** What comes of a rendition that was written, or of which it is known how it will look: that is written for its bytes. */
function probeOf(quality: number, shown: Uint8Array | Preview, make: () => Promise<Uint8Array>, judge: Judge): Probe {
  const file = shown instanceof Uint8Array ? shown : undefined;
  let bytes = file;
  let judgement: Judgement | undefined;
  const judged = async () => {
    if (judgement) return judgement;
    if (shown instanceof Uint8Array) judgement = await judge.ofFile(shown);
    else judgement = shown.exact ? SAME : await judgementOfShown(judge, () => shown.open(judge.timeSlice));
    judge.told?.(quality, judgement, file);
    return judgement;
  };
  return {
    quality,
    score: async () => (await judged()).points,
    metric: async () => {
      const said = await judged();
      // What stays is looked at by both, though it misses what was promised.
      if (!said.isSecondAlone || shown instanceof Uint8Array) return said.score;
      return (judgement = await judge.ofRows(await shown.open(judge.timeSlice))).score;
    },
    bytes: async () => (bytes ??= await make()),
    ...(!(shown instanceof Uint8Array) && { mostBytes: shown.mostBytes }),
  };
}

async function judgementOfShown({ ofRows, ofShown }: Judge, open: () => Promise<Rows>): Promise<Judgement> {
  return ofShown ? ofShown(open) : ofRows(await open());
}

/** About the points that are lost at a quality, where that is known without looking. */
export type DistortionAt = (quality: number) => Promise<number>;

export function distortionOf(
  { preview }: Pick<Encoder, "preview">,
  settings: EncodeSettings,
): DistortionAt | undefined {
  return preview && (async (quality) => (await preview({ ...settings, quality })).distortion);
}

/** The pixels of a file that a format wrote of a picture in this space, sRGB by default. */
export async function decoded(
  format: FormatDefinition,
  bytes: Uint8Array,
  timeSlice: TimeSlice,
  space?: Space,
): Promise<Rows> {
  return firstFrame(pictureIn(format, bytes, space), timeSlice);
}

/** The picture in a file that a format wrote of one in this space, sRGB by default: in that space. */
export function pictureIn(format: FormatDefinition, bytes: Uint8Array, space?: Space): Picture {
  const facts = format.read.factsOf(bytes);
  const { width, height, frames, loops, alpha } = facts;
  const demand = { box: whole(facts), width, height };
  return {
    width,
    height,
    frames,
    loops,
    opaque: !alpha,
    async *open(timeSlice) {
      for await (const { delayMs, rows } of decodedFrames(format, bytes, facts, demand, timeSlice)) {
        const { ms } = conversionEstimate(rows, facts, space);
        yield { delayMs, rows: paced(toSpace(rows, facts, space), ms, timeSlice) };
      }
    },
  };
}

/** What both opinions say of a rendition. */
export async function saidOf(probe: Probe): Promise<Pick<Found, "score" | "metric">> {
  // The metric first: what it says may lower the score.
  const metric = await (probe.metric ?? probe.score)();
  return { score: await probe.score(), metric };
}

/** The file of a way, written to stay, unless the try is smaller and may stay. */
export async function writtenToStay({ encoder, settings, best }: EncodedBy, mayStay: boolean): Promise<Found> {
  const final = await encoder.finish({ ...settings, quality: best.quality });
  const tried = mayStay ? await best.bytes() : final;
  return { bytes: tried.length < final.length ? tried : final, ...(await saidOf(best)) };
}
