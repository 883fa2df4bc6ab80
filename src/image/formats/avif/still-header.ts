/** The header of a coded still (AV1 bitstream specification, sections 5.9.2, 5.9.15 and 5.9.12). */
import { Bits } from "../heif/bits.ts";
import type { Sequence } from "./units.ts";

const KEY_FRAME = 0;
const MAX_TILE_WIDTH = 4096;
const MAX_TILE_AREA = 4096 * 2304;
const MAX_TILES = 64;

/** What the header of a key frame says. */
export interface StillHeader {
  /** base_q_idx, 0 (which is lossless, as encoders write it) to 255; undefined where tiles are spaced at will. */
  readonly quantizer: number | undefined;
  /** Blocks may be copied from anywhere above them. */
  readonly copiesBlocks: boolean;
  /** The picture is made wider once it is decoded. */
  readonly scaled: boolean;
}

/** Undefined where the header goes beyond what stills have. */
export function readStillHeader(header: Uint8Array, sequence: Sequence): StillHeader | undefined {
  const bits = new Bits(header);
  let shown = true;
  if (!sequence.reduced) {
    const existing = bits.flag();
    const type = bits.number(2);
    shown = bits.flag();
    if (existing || type !== KEY_FRAME || !shown || sequence.timed) return undefined;
  }
  const fixedContexts = bits.flag();
  const screenContent = sequence.screenContent === 2 ? bits.flag() : sequence.screenContent === 1;
  if (screenContent && sequence.integerMotion === 2) bits.skip(1);
  bits.skip(sequence.frameIdBits);
  const otherSize = !sequence.reduced && bits.flag();
  bits.skip(sequence.orderHintBits);
  const { scaled, ...size } = readSize(bits, sequence, otherSize);
  const copiesBlocks = screenContent && !scaled && bits.flag();
  if (!sequence.reduced && !fixedContexts) bits.skip(1);
  const quantizer = skipTiles(bits, sequence, size.width, size.height) ? bits.number(8) : undefined;
  return { quantizer, copiesBlocks, scaled };
}

/** frame_size, superres_params and render_size. */
function readSize(bits: Bits, sequence: Sequence, other: boolean) {
  let { width } = sequence;
  let { height } = sequence;
  if (other) {
    width = bits.number(sequence.widthBits) + 1;
    height = bits.number(sequence.heightBits) + 1;
  }
  const scaled = sequence.superresolution && bits.flag();
  if (scaled) {
    const denominator = bits.number(3) + 9;
    width = Math.floor((width * 8 + denominator / 2) / denominator);
  }
  if (bits.flag()) bits.skip(32);
  return { width, height, scaled };
}

/** tile_info; false where tiles are spaced in a way that takes more to read. */
function skipTiles(bits: Bits, { largeBlocks }: Sequence, width: number, height: number): boolean {
  const block = largeBlocks ? 128 : 64;
  const columns = Math.ceil((Math.ceil(width / 8) * 8) / block);
  const rows = Math.ceil((Math.ceil(height / 8) * 8) / block);
  if (!bits.flag()) return false;
  const leastColumns = tileLog2(MAX_TILE_WIDTH / block, columns);
  const least = Math.max(leastColumns, tileLog2(MAX_TILE_AREA / block ** 2, rows * columns));
  const columnsLog2 = readIncrements(bits, leastColumns, tileLog2(1, Math.min(columns, MAX_TILES)));
  const rowsLog2 = readIncrements(bits, Math.max(least - columnsLog2, 0), tileLog2(1, Math.min(rows, MAX_TILES)));
  if (columnsLog2 + rowsLog2 > 0) bits.skip(columnsLog2 + rowsLog2 + 2);
  return true;
}

function readIncrements(bits: Bits, from: number, most: number): number {
  let value = from;
  while (value < most && bits.flag()) value++;
  return value;
}

/** The smallest k for which `unit` times 2^k is not below `target`. */
function tileLog2(unit: number, target: number): number {
  let log2 = 0;
  while (unit * 2 ** log2 < target) log2++;
  return log2;
}
