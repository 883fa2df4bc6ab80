/** The boxes of tracks (ISO/IEC 14496-12, section 8), which image sequences and films share. */
import { joined } from "../../../joined.ts";
import type { Size } from "../../pixels/geometry.ts";
import { ascii, box, fullBox, uint16, uint32, uint64, uint8 } from "./boxes.ts";
import type { CodedLayer, HeifImage, Places } from "./write.ts";

/** A picture of a track. */
interface WrittenSample {
  readonly data: Uint8Array;
  /** It can be decoded without those before it. */
  readonly isKey: boolean;
}

/** One kind of samples, color or alpha: the properties of all pictures, and the pictures. */
export interface WrittenTrack extends Omit<CodedLayer, "tiles"> {
  readonly samples: readonly WrittenSample[];
}

/** What all tracks of a file have in common. */
export interface WrittenFilm extends Size, Pick<HeifImage, "itemType" | "configType"> {
  /** How long each picture is shown. */
  readonly delaysMs: readonly number[];
  /** How often it plays; 0 is for ever. */
  readonly loops: number;
}

/** Units of a second in which durations are said, of which the shortest has one. */
const TICKS_PER_SECOND = 1_000;
const FOR_EVER = 0xffff_ffff_ffff_ffffn;
/** What the fields of times begin with: neither creation nor change is said. */
const NO_TIMES = new Uint8Array(16);
/** Nothing is turned or moved, in numbers of 16 and 30 bits after the point. */
const UPRIGHT = joined([0x1_0000, 0, 0, 0, 0x1_0000, 0, 0, 0, 0x4000_0000].map(uint32));

/** The parts of a track that both have in common. */
interface Timing {
  readonly durations: readonly number[];
  /** Of one run, and of all of them. */
  readonly once: bigint;
  readonly all: bigint;
}

/** Delays as whole numbers of ticks whose sum is as near as may be to that of the delays. */
function timingOf({ delaysMs, loops }: WrittenFilm): Timing {
  let end = 0;
  let told = 0;
  const durations = delaysMs.map((delayMs) => {
    end += (delayMs * TICKS_PER_SECOND) / 1_000;
    const duration = Math.max(1, Math.round(end) - told);
    told += duration;
    return duration;
  });
  const once = BigInt(told);
  return { durations, once, all: loops === 0 ? FOR_EVER : once * BigInt(loops) };
}

/**
 * The box of a file that says what its tracks are and where their samples lie: those of a track one after the other.
 * @param tracks numbered from 1, in this order
 */
export function moovBox(film: WrittenFilm, tracks: readonly TrackParts[], places: Places): Uint8Array {
  const timing = timingOf(film);
  const header = fullBox(
    "mvhd",
    1,
    0,
    NO_TIMES,
    uint32(TICKS_PER_SECOND),
    uint64(timing.all),
    // The usual rate and volume.
    uint32(0x1_0000),
    uint16(0x100),
    new Uint8Array(10),
    UPRIGHT,
    new Uint8Array(24),
    uint32(tracks.length + 1),
  );
  return box("moov", header, ...tracks.map((parts, index) => trackBox(film, timing, places, index + 1, parts)));
}

/** A track, and what is said of it besides. */
export interface TrackParts {
  /** `pict` for pictures, `auxv` for what belongs to them, `vide` for films. */
  readonly handler: "pict" | "auxv" | "vide";
  readonly track: WrittenTrack;
  /** Boxes of the description of its samples behind their configuration. */
  readonly descriptions: readonly Uint8Array[];
  /** The box of what it refers to, or none. */
  readonly references: readonly Uint8Array[];
}

/** The flag of a track that is shown. */
const ENABLED = 1;

function trackBox(
  film: WrittenFilm,
  timing: Timing,
  places: Places,
  id: number,
  { handler, track, descriptions, references }: TrackParts,
): Uint8Array {
  const { width, height } = film;
  const header = fullBox(
    "tkhd",
    1,
    ENABLED,
    NO_TIMES,
    uint32(id),
    uint32(0),
    uint64(timing.all),
    new Uint8Array(16),
    UPRIGHT,
    uint32(width * 0x1_0000),
    uint32(height * 0x1_0000),
  );
  const media = box(
    "mdia",
    fullBox("mdhd", 1, 0, NO_TIMES, uint32(TICKS_PER_SECOND), uint64(timing.once), uint16(UNDETERMINED), uint16(0)),
    fullBox("hdlr", 0, 0, uint32(0), ascii(handler), new Uint8Array(12), uint8(0)),
    box(
      "minf",
      fullBox("vmhd", 0, 1, new Uint8Array(8)),
      // Samples lie in this file.
      box("dinf", fullBox("dref", 0, 0, uint32(1), fullBox("url ", 0, 1))),
      sampleTable(film, timing, places, track, descriptions),
    ),
  );
  return box("trak", header, ...references, editBox(film, timing), media);
}

/** The language `und`, in three times five bits. */
const UNDETERMINED = 0x55c4;
/** The flag of an edit that is repeated until the track ends. */
const REPEATED = 1;

/** All of the track, again and again unless it plays once. */
function editBox({ loops }: WrittenFilm, { once }: Timing): Uint8Array {
  const whole = joined([uint64(once), uint64(0n), uint16(1), uint16(0)]);
  return box("edts", fullBox("elst", 1, loops === 1 ? 0 : REPEATED, uint32(1), whole));
}

/** The samples lie one after the other, as one chunk. */
function sampleTable(
  film: WrittenFilm,
  { durations }: Timing,
  places: Places,
  { samples, config }: WrittenTrack,
  descriptions: readonly Uint8Array[],
): Uint8Array {
  const [first] = samples;
  if (!first) throw new RangeError("nothing was encoded");
  const keys = samples.flatMap(({ isKey }, index) => (isKey ? [uint32(index + 1)] : []));
  const runs = runsOf(durations).map(([count, duration]) => joined([uint32(count), uint32(duration)]));
  return box(
    "stbl",
    fullBox("stsd", 0, 0, uint32(1), sampleEntry(film, config, descriptions)),
    fullBox("stts", 0, 0, uint32(runs.length), ...runs),
    fullBox("stsc", 0, 0, uint32(1), uint32(1), uint32(samples.length), uint32(1)),
    fullBox("stsz", 0, 0, uint32(0), uint32(samples.length), ...samples.map(({ data }) => uint32(data.length))),
    fullBox("stco", 0, 0, uint32(1), uint32(places.get(first.data) ?? 0)),
    ...(keys.length < samples.length ? [fullBox("stss", 0, 0, uint32(keys.length), ...keys)] : []),
  );
}

/** Durations, those that are the same one after the other together. */
function runsOf(durations: readonly number[]): readonly (readonly [count: number, duration: number])[] {
  const runs: [number, number][] = [];
  for (const duration of durations) {
    const last = runs.at(-1);
    if (last?.[1] === duration) last[0]++;
    else runs.push([1, duration]);
  }
  return runs;
}

/** 72 dots per inch, with 16 bits after the point: what is said where it means nothing. */
const USUAL_RESOLUTION = 72 * 0x1_0000;
/** 24 bits, the depth that is said of all that has colors or none; and that there is no table of them. */
const DEPTH = 24;
const NO_TABLE = 0xffff;
/** What the pictures are coded in (ISO/IEC 14496-12, 12.1.3). */
function sampleEntry(
  { itemType, configType, width, height }: WrittenFilm,
  config: Uint8Array,
  descriptions: readonly Uint8Array[],
): Uint8Array {
  return box(
    itemType,
    new Uint8Array(6),
    uint16(1),
    new Uint8Array(16),
    uint16(width),
    uint16(height),
    uint32(USUAL_RESOLUTION),
    uint32(USUAL_RESOLUTION),
    uint32(0),
    uint16(1),
    new Uint8Array(32),
    uint16(DEPTH),
    uint16(NO_TABLE),
    box(configType, config),
    ...descriptions,
  );
}
