/** JPEG files in which two readers of the standard find two pictures. */

const [SIDE, TABLE_CODES] = [8, 16];

/** What the second picture is, and what its blocks hold. */
export interface Hidden {
  readonly width: number;
  readonly height: number;
  /** Blocks of which nothing is said, and those behind them, of coefficients that are all the same. */
  readonly blank: number;
  readonly filled: number;
  /** The scan ends behind its last block; otherwise in a code that there is not. */
  readonly isWhole?: boolean;
}

/**
 * A gray file of a square that has room for the blocks of another picture. Most readers pass over a segment that says the
 * number of lines (DNL) when it comes too early; those who take it for bytes between segments find a frame in it, and
 * a segment that the frame behind it belongs to.
 */
export function twoSizes({ width, height, blank, filled, isWhole = false }: Hidden): Uint8Array {
  const side = Math.ceil(Math.sqrt(blank + filled)) * SIDE;
  const shown = frame(side, side);
  const [appMarker, appLength] = [0xe1, u16(2 + shown.length)];
  const hidden = [...frame(width, height), 0xff, appMarker, ...appLength];
  const head = [...segment(0xdc, hidden), ...shown, ...segment(0xdb, [0, ...Array<number>(64).fill(1)])];
  // One bit for nothing, two for a number of eight.
  const codes = [1, 1, ...Array<number>(TABLE_CODES - 2).fill(0), 0, 8];
  const tables = [...segment(0xc4, [0, ...codes]), ...segment(0xc4, [0x10, ...codes])];
  const scan = scanOf(blank, filled, isWhole);
  return Uint8Array.from([0xff, 0xd8, ...head, ...tables, ...segment(0xda, [1, 1, 0, 0, 63, 0]), ...scan, 0xff, 0xd9]);
}

function scanOf(blank: number, filled: number, isWhole: boolean): number[] {
  const bytes: number[] = [];
  let [byte, count] = [0, 0];
  const put = (bits: string): void => {
    for (const bit of bits) {
      byte = (byte << 1) | Number(bit);
      if (++count < 8) continue;
      bytes.push(byte, ...(byte === 0xff ? [0] : []));
      [byte, count] = [0, 0];
    }
  };
  for (let block = 0; block < blank; block++) put("00");
  const coefficients = "1010101010".repeat(63);
  for (let block = 0; block < filled; block++) put(`0${coefficients}`);
  put("1".repeat(isWhole ? (8 - count) % 8 : 16));
  return bytes;
}

function frame(width: number, height: number): number[] {
  return segment(0xc0, [8, ...u16(height), ...u16(width), 1, 1, 0x11, 0]);
}

function segment(marker: number, payload: readonly number[]): number[] {
  return [0xff, marker, ...u16(payload.length + 2), ...payload];
}

function u16(value: number): number[] {
  return [value >> 8, value & 0xff];
}
