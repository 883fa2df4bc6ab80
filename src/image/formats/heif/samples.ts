/** The samples of a track: where they lie and how long they last (ISO/IEC 14496-12, sections 8.6.1.2, 8.7.3 to 8.7.5). */
import { childrenOf, damaged, type Fields, fullBox } from "./bytes.ts";

export interface Sample {
  readonly bytes: Uint8Array;
  /** In units of the track's time scale. */
  readonly duration: number;
}

/**
 * The samples that a sample table describes, and how many there are.
 * @param most that are read
 * @throws ApiError 422 when there is none, or one of those that are read does not lie in the file
 */
export function readSamples(
  file: Uint8Array,
  stbl: Uint8Array,
  most: number,
): { readonly count: number; readonly samples: readonly Sample[] } {
  const { stz2, stsz, co64, stco, stsc, stts } = childrenOf(stbl, TABLES);
  const table = (box: Uint8Array | undefined) => fullBox(box ?? fail()).fields;
  const { count, sizes } = stz2 ? compactSizes(table(stz2), most) : plainSizes(table(stsz), most);
  const offsets = co64 ? offsetsOf(table(co64), 8) : offsetsOf(table(stco), 4);
  const places = placesOf(sizes, offsets, runsOf(table(stsc)));
  const durations = durationsOf(table(stts));
  const samples = sizes.map((size, index) => {
    const from = places[index]!;
    if (size === 0 || from + size > file.length) throw damaged();
    return { bytes: file.subarray(from, from + size), duration: durations.next().value ?? 0 };
  });
  return { count, samples };
}

/** The boxes of a sample table that are read. */
const TABLES = ["stz2", "stsz", "co64", "stco", "stsc", "stts"] as const;

function fail(): never {
  throw damaged();
}

interface Sizes {
  readonly count: number;
  readonly sizes: readonly number[];
}

/** One size for all samples, or 0 and a list. */
function plainSizes(fields: Fields, most: number): Sizes {
  const shared = fields.number(4);
  const count = fields.number(4);
  const length = Math.min(count, most);
  if (count === 0 || (shared === 0 && count * 4 > fields.left)) throw damaged();
  return { count, sizes: Array.from({ length }, () => shared || fields.number(4)) };
}

/** Sizes of 4, 8 or 16 bits. */
function compactSizes(fields: Fields, most: number): Sizes {
  const bits = fields.number(4) & 255;
  const count = fields.number(4);
  if (count === 0 || (bits !== 4 && bits !== 8 && bits !== 16) || (count * bits) / 8 > fields.left) throw damaged();
  let pair = 0;
  const sizes = Array.from({ length: Math.min(count, most) }, (_, index) => {
    if (bits !== 4) return fields.number(bits / 8);
    if (index % 2 === 0) pair = fields.number(1);
    return index % 2 === 0 ? pair >> 4 : pair & 15;
  });
  return { count, sizes };
}

function* offsetsOf(fields: Fields, bytes: 4 | 8): Generator<number, undefined> {
  for (let left = fields.number(4); left > 0; left--) yield fields.number(bytes);
}

/** Chunks that follow each other and have as many samples each. */
interface Run {
  /** The first chunk has the number 1. */
  readonly firstChunk: number;
  readonly samples: number;
}

function* runsOf(fields: Fields): Generator<Run, undefined> {
  for (let left = fields.number(4); left > 0; left--) {
    const firstChunk = fields.number(4);
    const samples = fields.number(4);
    // There is one description of samples: the first.
    if (fields.number(4) !== 1 || samples === 0) throw damaged();
    yield { firstChunk, samples };
  }
}

/** Where each sample begins: those of a chunk follow one another. */
function placesOf(
  sizes: readonly number[],
  offsets: Generator<number, undefined>,
  runs: Generator<Run, undefined>,
): readonly number[] {
  const places: number[] = [];
  let run = runs.next().value;
  let following = runs.next().value;
  if (run?.firstChunk !== 1) throw damaged();
  for (let chunk = 1; places.length < sizes.length; chunk++) {
    if (following?.firstChunk === chunk) {
      run = following;
      following = runs.next().value;
    }
    let at = offsets.next().value ?? fail();
    for (const size of sizes.slice(places.length, places.length + run.samples)) {
      places.push(at);
      at += size;
    }
  }
  return places;
}

/** How long each sample lasts; what a table leaves out is not said. */
function* durationsOf(fields: Fields): Generator<number, undefined> {
  for (let entries = fields.number(4); entries > 0; entries--) {
    const count = fields.number(4);
    const duration = fields.number(4);
    for (let left = count; left > 0; left--) yield duration;
  }
}
