/** With which quality a lossy WebP picture was written, from the quantizer in its header. */

/** The arithmetic decoder of VP8 (RFC 6386, section 7.3) at even odds, which is all that frame headers use. */
class HeaderBits {
  private value: number;
  private at = 2;
  private range = 255;
  private shifted = 0;
  private readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.value = ((bytes[0] ?? 0) << 8) | (bytes[1] ?? 0);
  }

  bit(): number {
    const split = 1 + (((this.range - 1) * 128) >> 8);
    const one = this.value >= split << 8;
    if (one) this.value -= split << 8;
    this.range = one ? this.range - split : split;
    while (this.range < 128) {
      this.value <<= 1;
      this.range <<= 1;
      if (++this.shifted === 8) {
        this.shifted = 0;
        this.value |= this.bytes[this.at++] ?? 0;
      }
    }
    return one ? 1 : 0;
  }

  number(bits: number): number {
    let value = 0;
    for (let i = 0; i < bits; i++) value = value * 2 + this.bit();
    return value;
  }

  /** Magnitude, then sign. */
  signed(bits: number): number {
    const value = this.number(bits);
    return this.bit() ? -value : value;
  }

  /** A flag, and a number only if it is set. */
  optional(bits: number): number {
    return this.bit() ? this.signed(bits) : 0;
  }
}

const FRAME_HEADER_BYTES = 10;

/** The quantizer index of a key frame, 0 to 127, averaged over its segments (RFC 6386, sections 9.3 to 9.6). */
function quantizerIndex(data: Uint8Array): number {
  const header = new HeaderBits(data.subarray(FRAME_HEADER_BYTES));
  header.number(2);
  const segmented = header.bit() === 1;
  let absolute = false;
  let segments = [0, 0, 0, 0];
  if (segmented) {
    const map = header.bit();
    if (header.bit()) {
      absolute = header.bit() === 1;
      segments = segments.map(() => header.optional(7));
      segments.forEach(() => header.optional(6));
    }
    if (map) for (let i = 0; i < 3; i++) if (header.bit()) header.number(8);
  }
  header.number(1 + 6 + 3);
  if (header.bit() && header.bit()) for (let i = 0; i < 8; i++) header.optional(6);
  header.number(2);
  const base = header.number(7);
  if (!segmented) return base;
  const indexes = segments.map((segment) => Math.min(127, Math.max(0, absolute ? segment : base + segment)));
  return indexes.reduce((sum, index) => sum + index, 0) / indexes.length;
}

/**
 * The quality from 1 to 100 at which libwebp chooses this quantizer for an average block: the inverse of its mapping
 * q -> 127 (1 - cbrt(l)), where l is 2/3 q below 0.75 and 2 q - 1 above. The encoder varies the quantizer with the
 * content, so the estimate is off by a few.
 * @param data the payload of a `VP8 ` chunk
 */
export function estimateQuality(data: Uint8Array): number {
  const linear = (1 - quantizerIndex(data) / 127) ** 3;
  const quality = linear < 0.5 ? linear * 1.5 : (linear + 1) / 2;
  return Math.max(1, Math.min(100, Math.round(quality * 100)));
}
