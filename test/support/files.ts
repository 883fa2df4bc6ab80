/** Formats under test: whole files decoded, damaged on purpose. */
import { ApiError } from "../../src/errors.ts";
import { toSrgb } from "../../src/image/codec/convert-colors.ts";
import type { FormatDefinition } from "../../src/image/codec/format.ts";
import { type TimeSlice, UNPAUSED } from "../../src/scheduler/time-slice.ts";
import { NativeError } from "../../wasm/load.ts";
import { type SixteenBitPixels, digest, drain, drainSixteenBit, type Pixels } from "./rows.ts";

/** The first frame of a file, in sRGB, as stored. */
export async function decodeFile(
  format: FormatDefinition,
  bytes: Uint8Array,
  timeSlice: TimeSlice = UNPAUSED,
): Promise<Pixels> {
  const facts = format.read.factsOf(bytes);
  const { width, height } = facts;
  const demand = { box: { x: 0, y: 0, width, height }, width, height };
  for await (const { rows } of format.read.open(bytes, facts, demand, timeSlice)) {
    return await drain(toSrgb(rows, facts.profile, facts.colorspace));
  }
  throw new Error("no frame");
}

/** The only frame of a file with all bits of its samples, as stored. */
export async function decodeSixteenBit(format: FormatDefinition, bytes: Uint8Array): Promise<SixteenBitPixels> {
  const facts = format.read.factsOf(bytes);
  const { width, height } = facts;
  const demand = { box: { x: 0, y: 0, width, height }, width, height, sixteenBit: true };
  for await (const { rows } of format.read.open(bytes, facts, demand, UNPAUSED)) return await drainSixteenBit(rows);
  throw new Error("no frame");
}

/** The digest of a file's pixels, of which those under full transparency count as black. */
export async function fileDigest(format: FormatDefinition, bytes: Uint8Array): Promise<string> {
  const { data } = await decodeFile(format, bytes);
  for (let at = 0; at < data.length; at += 4) if (data[at + 3] === 0) data.fill(0, at, at + 3);
  return digest(data);
}

/** What is larger never gets to the decoder here. */
const MOST_PIXELS = 1_000_000;
const MOST_BYTES = 80 << 20;

/**
 * What becomes of a file: `decoded`, or the status it is refused with. Any other error, and a trap of native code,
 * fails the test.
 */
export async function outcomeOf(format: FormatDefinition, bytes: Uint8Array): Promise<"decoded" | number> {
  try {
    const facts = format.read.factsOf(bytes);
    const { width, height } = facts;
    if (width * height > MOST_PIXELS) return 422;
    if (format.read.estimate(facts, { box: { x: 0, y: 0, width, height }, width, height }).bytes > MOST_BYTES)
      return 422;
    await decodeFile(format, bytes);
    return "decoded";
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.cause instanceof NativeError && error.cause.message.endsWith("trapped")) throw error.cause;
    return error.status;
  }
}

/** The beginnings of a file, `count` of them, shortest first. */
export function* beginnings(bytes: Uint8Array, count: number): Generator<Uint8Array> {
  for (let index = 0; index < count; index++) yield bytes.subarray(0, Math.floor((bytes.length * index) / count));
}

/** `count` copies with one to four bytes changed, most of them near the start; the same on every run. */
export function* mutations(bytes: Uint8Array, count: number): Generator<Uint8Array> {
  let state = 1;
  const next = () => (state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0) >>> 8;
  for (let index = 0; index < count; index++) {
    const mutated = bytes.slice();
    const reach = index % 3 === 0 ? mutated.length : Math.min(mutated.length, 256);
    for (let change = 0; change <= index % 4; change++) mutated[next() % reach] = next() & 255;
    yield mutated;
  }
}
