/** A smaller JPEG file of the same picture, from its coefficients. */
import { type Estimate, NO_WORK, held, parallel } from "../../../../wasm/estimate.ts";
import { type JpegHeader, blockBytesOf, canTurn, recompress, recompressEstimate } from "../../../../wasm/jpeg/jpeg.ts";
import type { TimeSlice } from "../../../scheduler/time-slice.ts";
import type { Facts, RecompressSettings, RequantizeSettings } from "../../codec/format.ts";
import { guardedAsync, inPieces } from "../../codec/guard.ts";
import { type Orientation, turnOf } from "../../pixels/geometry.ts";
import { damagedScans, headerOf } from "./facts.ts";
import { neededProfile } from "./profile.ts";
import { tagged } from "./tag.ts";

/** Coefficients that are held to be written several times; a picture with more is read several times. */
const HELD_BYTES = 48 << 20;
/**
 * A picture with more than this in several scans is worked on in windows of so much, each another pass over the file.
 */
const WINDOW_BYTES = 24 << 20;

/** With a quality the coefficients are divided anew; without one they stay as they are. */
type Settings = RecompressSettings & Partial<Pick<RequantizeSettings, "quality" | "tiles">>;

/** Null when the file has no coefficients that could be kept. The result may be larger, if it was written well. */
export async function rewrite(
  bytes: Uint8Array,
  _facts: Facts,
  settings: Settings,
  timeSlice: TimeSlice,
): Promise<Uint8Array | null> {
  const header = headerOf(bytes);
  if (!hasCoefficients(header)) return null;
  const { quality, progressive, tag = 1, tiles } = settings;
  if (tiles && !fitsTiles(header)) return null;
  const profile = neededProfile(header);
  const work = recompress(bytes, {
    progressive,
    blockBytes: blockBytesOf(header),
    ...(quality === undefined ? {} : { quality }),
    ...(profile ? { profile } : {}),
    ...memoryOptions(header, bytes, settings),
    ...(tiles ? { tiles, streamed: false } : {}),
  });
  return tagged(await guardedAsync(() => inPieces(work, timeSlice), damagedScans), tag);
}

/** The result included: its pieces and the whole exist at the same time. */
export function rewriteEstimate(bytes: Uint8Array, _facts: Facts, settings: Settings): Estimate {
  const header = headerOf(bytes);
  if (!hasCoefficients(header)) return NO_WORK;
  const { quality, progressive } = settings;
  const options = {
    progressive,
    ...(quality === undefined ? {} : { quality }),
    ...memoryOptions(header, bytes, settings),
  };
  return parallel(recompressEstimate(header, bytes.length, options), held(2 * bytes.length));
}

/** Large pictures are streamed. What is turned has to be held. */
function memoryOptions(header: JpegHeader, bytes: Uint8Array, { turn = 1 }: RecompressSettings) {
  if (turn !== 1) return { turn: turnOf(turn) };
  if (recompressEstimate({ ...header, multipleScans: false }, bytes.length).bytes <= HELD_BYTES) return {};
  return { streamed: true, windowBytes: WINDOW_BYTES };
}

/** Whether the coefficients of the file can be turned: never those of lossless files and of 12 bits. */
export function turns(bytes: Uint8Array, orientation: Orientation): boolean {
  const header = headerOf(bytes);
  return hasCoefficients(header) && canTurn(header, turnOf(orientation));
}

/** Lossless files and those of 12 bits have no coefficients that could be divided. */
export function divides(bytes: Uint8Array): boolean {
  return hasCoefficients(headerOf(bytes));
}

/** Whether blocks of all components end where tiles do. */
function fitsTiles({ components }: JpegHeader): boolean {
  return components.every(({ h, v }) => h !== 3 && v !== 3);
}

function hasCoefficients({ lossless, precision }: JpegHeader): boolean {
  return !lossless && precision === 8;
}
