/** The walk over boxes (ISO/IEC 14496-12, section 4), which HEIF, JPEG 2000 and JPEG XL share. */
import { Walk } from "./walk.ts";

const HEADER_BYTES = 8;
/** The header of a box whose size has 64 bits. */
const LONG_HEADER_BYTES = 16;

/**
 * How a box lies in the bytes: `none` where they have no room for a header, `broken` where it is shorter than its own
 * header, `cut` where it reaches beyond their end.
 */
type Fit = "none" | "broken" | "cut" | "whole";

export abstract class BoxWalk extends Walk {
  get type(): string {
    return this.textAt(this.at + 4);
  }

  is(type: string): boolean {
    return this.isAt(this.at + 4, type);
  }

  /** The box says that it is as long as what is left of the bytes. */
  get isOpen(): boolean {
    return this.numberAt(this.at) === 0;
  }

  /** Reads the header of the box at `at`, and sets where its content and the next box begin. */
  protected readHeader(at: number): Fit {
    const left = this.bytes.length - at;
    if (left < HEADER_BYTES) return "none";
    const isLong = left >= LONG_HEADER_BYTES && this.numberAt(at) === 1;
    const size = isLong ? this.numberAt(at + 8) * 2 ** 32 + this.numberAt(at + 12) : this.numberAt(at) || left;
    this.start = at + (isLong ? LONG_HEADER_BYTES : HEADER_BYTES);
    this.end = at + size;
    if (this.end < this.start) return "broken";
    return size > left ? "cut" : "whole";
  }
}
