/** A bitstream with start codes (ITU-T H.265, annex B) as the parts that a container wants (ISO/IEC 14496-15, 8.3). */
import { UnitBits } from "./bits.ts";
import { UNIT } from "./configuration.ts";

export interface Bitstream {
  /** The `hvcC` property. */
  readonly config: Uint8Array;
  /** Slices, each after its length in four bytes. */
  readonly payload: Uint8Array;
}

/** @param stream units behind start codes, parameter sets among them */
export function splitUnits(stream: Uint8Array): Bitstream {
  const sets: readonly Uint8Array[][] = [[], [], []];
  const slices: Uint8Array[] = [];
  eachUnit(stream, (unit) => {
    const type = typeOf(unit);
    if (type <= UNIT.lastSlice) slices.push(unit);
    else sets[[UNIT.video, UNIT.sequence, UNIT.picture].findIndex((of) => of === type)]?.push(unit);
  });
  const payload = new Uint8Array(slices.reduce((sum, unit) => sum + 4 + unit.length, 0));
  const view = new DataView(payload.buffer);
  let at = 0;
  for (const unit of slices) {
    view.setUint32(at, unit.length);
    payload.set(unit, at + 4);
    at += 4 + unit.length;
  }
  return { config: configurationOf(sets), payload };
}

function typeOf(unit: Uint8Array): number {
  return (unit[0]! >> 1) & 63;
}

function eachUnit(stream: Uint8Array, visit: (unit: Uint8Array) => void): void {
  let start = -1;
  for (let at = stream.indexOf(1); at >= 0; at = stream.indexOf(1, at + 1)) {
    if (at < 2 || stream[at - 1] !== 0 || stream[at - 2] !== 0) continue;
    if (start >= 0) visit(withoutZeros(stream.subarray(start, at - 2)));
    start = at + 1;
  }
  if (start >= 0) visit(withoutZeros(stream.subarray(start)));
}

/** Zero bytes after a unit belong to the next start code. */
function withoutZeros(unit: Uint8Array): Uint8Array {
  let end = unit.length;
  while (end > 0 && unit[end - 1] === 0) end--;
  return unit.subarray(0, end);
}

/** The bytes of general_profile_space to general_level_idc in a sequence parameter set, after three of headers. */
const PROFILE_AT = 3;
const PROFILE_BYTES = 12;

function configurationOf(sets: readonly (readonly Uint8Array[])[]): Uint8Array {
  const [sequence] = sets[1] ?? [];
  if (!sequence) throw new RangeError("nothing was encoded");
  const profile = unescaped(sequence).subarray(PROFILE_AT, PROFILE_AT + PROFILE_BYTES);
  // Version, profile; no spatial segmentation, no parallelism; chroma; 8 bits each; one layer, lengths of four bytes.
  const bytes = [1, ...profile, 0xf0, 0, 0xfc, 0xfc | chromaOf(sequence), 0xf8, 0xf8, 0, 0, 0x0f, sets.length];
  for (const units of sets) {
    bytes.push(0x80 | typeOf(units[0]!), units.length >> 8, units.length & 255);
    for (const unit of units) bytes.push(unit.length >> 8, unit.length & 255, ...unit);
  }
  return Uint8Array.from(bytes);
}

function unescaped(unit: Uint8Array): Uint8Array {
  return unit.filter((byte, at) => !(byte === 3 && at >= 2 && unit[at - 1] === 0 && unit[at - 2] === 0));
}

/** chroma_format_idc: after the profile, of a single layer, and the number of the set. */
function chromaOf(sequence: Uint8Array): number {
  const bits = new UnitBits(sequence);
  bits.skip(8 * (PROFILE_AT + PROFILE_BYTES));
  bits.unsigned();
  return bits.unsigned();
}
