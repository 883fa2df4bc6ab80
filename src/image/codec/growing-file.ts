/** A file that is written from its beginning to its end, in memory that was set aside for about as much. */

/** What a file may have left of its memory, as a part of it: the rest is given back by a copy. */
const MOST_LEFT = 1 / 8;
/** Of smaller files a copy takes no time. */
const SMALL_BYTES = 1 << 20;

export class GrowingFile {
  private bytes: Uint8Array<ArrayBuffer>;
  private end = 0;

  /** @param expected bytes of the whole */
  constructor(expected: number) {
    this.bytes = new Uint8Array(Math.ceil(expected));
  }

  get length(): number {
    return this.end;
  }

  /**
   * Adds a piece.
   * @param part of the file that is there with it, 0 to 1: how much more is to come
   */
  append(piece: Uint8Array, part: number): void {
    const end = this.end + piece.length;
    if (end > this.bytes.length) this.grow(Math.max(end, Math.ceil((end / part) * (1 + MOST_LEFT / 2))));
    this.bytes.set(piece, this.end);
    this.end = end;
  }

  /** Goes past bytes that are 0. @returns all bytes so far */
  skip(count: number): Uint8Array {
    const end = this.end + count;
    if (end > this.bytes.length) this.grow(end);
    this.end = end;
    return this.bytes.subarray(0, end);
  }

  /** The file. */
  finish(): Uint8Array {
    const { length } = this.bytes;
    const isNear = length > SMALL_BYTES && length - this.end <= length * MOST_LEFT;
    return isNear ? this.bytes.subarray(0, this.end) : this.bytes.slice(0, this.end);
  }

  private grow(length: number): void {
    const bytes = new Uint8Array(length);
    bytes.set(this.bytes.subarray(0, this.end));
    this.bytes = bytes;
  }
}
