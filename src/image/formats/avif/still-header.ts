/** The header of a coded still (AV1 bitstream specification, sections 5.9.2 and 5.9.12). */
import { Bits } from "../heif/bits.ts";
import { skipTileInfo } from "./tile-info.ts";
import type { Sequence } from "./units.ts";

const KEY_FRAME = 0;

/** What the header of a key frame says. */
export interface StillHeader {
  /** base_q_idx, 0 (which is lossless, as encoders write it) to 255. */
  readonly quantizer: number;
  /** Blocks may be copied from anywhere above them. */
  readonly copiesBlocks: boolean;
  /** The picture is made wider once it is decoded. */
  readonly scaled: boolean;
  /** The bits that say where tiles are, and nothing else. */
  readonly tileInfo: { readonly from: number; readonly end: number };
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
  const from = bits.position;
  skipTileInfo(bits, sequence, size);
  const tileInfo = { from, end: bits.position };
  return { quantizer: bits.number(8), copiesBlocks, scaled, tileInfo };
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
