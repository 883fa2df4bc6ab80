/** What a picture of alpha says of its levels: the message "alpha channel information" (ITU-T H.265, F.14.2.8). */
import { joined } from "../../../joined.ts";
import { UnitBits } from "./bits.ts";
import type { Configuration } from "./configuration.ts";

const ALPHA_CHANNEL_INFORMATION = 165;
const UNIT_HEADER_BITS = 16;
/** Bits of the shortest message: a type, a size and a byte. */
const LEAST_MESSAGE_BITS = 24;
/** Bytes of the longest information on alpha: flags and two levels of 16 bits. */
const INFORMATION_BYTES = 6;
/** A byte of a type or a size that goes on in the next one. */
const MORE = 255;
/** Levels of limited range, in 8 bits. */
const BLACK = 16;
const WHITE = 235;

/** Which levels stand for clear and opaque; undefined where no message says it. */
export function alphaRangeOf({ messages }: Pick<Configuration, "messages">): "full" | "limited" | undefined {
  for (const message of messages) {
    const levels = levelsIn(message);
    if (!levels) continue;
    const isLimited = levels.clear === BLACK << levels.shift && levels.opaque === WHITE << levels.shift;
    return isLimited ? "limited" : "full";
  }
  return undefined;
}

interface Levels {
  /** Bits beyond 8. */
  readonly shift: number;
  readonly clear: number;
  readonly opaque: number;
}

/** Levels of the first message of a unit that has them, unless it takes back what was said. Damaged ones say nothing. */
function levelsIn(unit: Uint8Array): Levels | undefined {
  // Zeros behind it, so that a short one can be read like the longest.
  const bits = new UnitBits(joined([unit, new Uint8Array(INFORMATION_BYTES)]));
  bits.skip(UNIT_HEADER_BITS);
  while (bits.left >= LEAST_MESSAGE_BITS + 8 * INFORMATION_BYTES) {
    const type = numberOf(bits);
    const size = numberOf(bits);
    if (8 * (size + INFORMATION_BYTES) > bits.left) return undefined;
    if (type !== ALPHA_CHANNEL_INFORMATION) {
      bits.skip(8 * size);
      continue;
    }
    if (bits.flag()) return undefined;
    bits.skip(3);
    const shift = bits.number(3);
    return { shift, clear: bits.number(shift + 9), opaque: bits.number(shift + 9) };
  }
  return undefined;
}

/** A type or a size: bytes are added up as long as they are the highest. */
function numberOf(bits: UnitBits): number {
  let sum = 0;
  while (bits.left >= 8) {
    const byte = bits.number(8);
    sum += byte;
    if (byte !== MORE) break;
  }
  return sum;
}
