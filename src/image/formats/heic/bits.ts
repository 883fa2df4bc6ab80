/** The bits of an HEVC unit (ITU-T H.265, sections 7.2, 7.3.1.1 and 9.2). */
import { Bits } from "../heif/bits.ts";
import { damaged } from "../heif/bytes.ts";

/** Bytes of a header that are looked at; those of pictures take a few hundred. */
const MAX_HEADER_BYTES = 4_096;
/** More zero bits than any code of ours begins with. */
const MAX_ZEROS = 32;

export class UnitBits extends Bits {
  /** @param unit whole, or at least its header, with the bytes that keep start codes out of it */
  constructor(unit: Uint8Array) {
    const bytes = unit.subarray(0, MAX_HEADER_BYTES);
    super(bytes.filter((byte, at) => !(byte === 3 && at >= 2 && bytes[at - 1] === 0 && bytes[at - 2] === 0)));
  }

  /** ue(v): an Exp-Golomb code. */
  unsigned(): number {
    let zeros = 0;
    while (!this.flag()) if (++zeros > MAX_ZEROS) throw damaged();
    return 2 ** zeros - 1 + this.number(zeros);
  }

  /** se(v). */
  signed(): number {
    const code = this.unsigned();
    return code % 2 === 1 ? (code + 1) / 2 : -code / 2;
  }
}
