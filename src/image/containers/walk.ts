/**
 * The walk over the parts of a container: boxes, chunks, segments, units, blocks, directories.
 *
 * A walk stands at one part at a time and keeps none of them, so that a file of nothing but its smallest part takes no
 * memory for each. It is not iterable: nobody can collect its parts by accident, and what a parser needs it names. It
 * counts as it goes, because a file in use has few parts of a kind: one that has more than any writer makes is refused.
 */
import { ApiError } from "../../errors.ts";

/** How many parts of a kind there may be, one after the other in one container. */
export interface Parts {
  readonly most: number;
  /** What they are called in the plural, for the message. */
  readonly name: string;
}

/** The refusal of a file that has more parts than any writer makes. */
export function tooManyParts({ most, name }: Parts): ApiError {
  return new ApiError(422, `The image must have at most ${most} ${name}`);
}

export abstract class Walk {
  /** Where the part begins. */
  at = 0;
  /** Where its content begins, behind its header. */
  start = 0;
  /** Where the next part begins; beyond the end of the bytes where the part is cut short. */
  end: number;
  protected readonly bytes: Uint8Array;
  private readonly parts: Parts;
  private count = 0;
  private isOver = false;

  /** @param from where the first part begins */
  constructor(bytes: Uint8Array, parts: Parts, from = 0) {
    this.bytes = bytes;
    this.parts = parts;
    this.end = from;
  }

  /**
   * Goes to the next part.
   * @returns false where there is none
   * @throws ApiError 422 where there are more than there may be, or the part is damaged
   */
  next(): boolean {
    if (this.isOver) return false;
    this.at = this.end;
    this.isOver = this.at >= this.bytes.length || !this.read(this.at);
    if (this.isOver) return false;
    this.count++;
    if (this.count > this.parts.most) throw tooManyParts(this.parts);
    return true;
  }

  /** The bytes of the part behind its header, as far as they are there. */
  get content(): Uint8Array {
    return this.bytes.subarray(this.start, this.end);
  }

  /** How many bytes that are. */
  get contentBytes(): number {
    return Math.max(0, Math.min(this.end, this.bytes.length) - this.start);
  }

  /** The part with its header, as far as it is there. */
  get whole(): Uint8Array {
    return this.bytes.subarray(this.at, this.end);
  }

  /** The file ends within the part. */
  get isCut(): boolean {
    return this.end > this.bytes.length;
  }

  /**
   * Reads the header of the part at `at`, a place in the bytes, and sets `start` and `end`, which must lie behind `at`.
   * @returns false where no part begins there
   */
  protected abstract read(at: number): boolean;

  /** Whether four characters stand at a place: the type of a box or a chunk. */
  protected isAt(at: number, characters: string): boolean {
    const { bytes } = this;
    return (
      bytes[at] === characters.charCodeAt(0) &&
      bytes[at + 1] === characters.charCodeAt(1) &&
      bytes[at + 2] === characters.charCodeAt(2) &&
      bytes[at + 3] === characters.charCodeAt(3)
    );
  }

  /** The four characters at a place. */
  protected textAt(at: number): string {
    const { bytes } = this;
    return String.fromCharCode(bytes[at]!, bytes[at + 1]!, bytes[at + 2]!, bytes[at + 3]!);
  }

  /** The big-endian number of 32 bits at a place. */
  protected numberAt(at: number): number {
    const { bytes } = this;
    return ((bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!) >>> 0;
  }
}
