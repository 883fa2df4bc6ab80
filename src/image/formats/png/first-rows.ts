/** A sample of a picture to choose by how it is written: its first rows. */
import { standsAt } from "../../../same.ts";

/** The part of a sample that rows at the top which are all the same may take: they say nothing of what lies below. */
const MOST_PLAIN = 1 / 8;

/** The first rows of a picture, taken from bands; of many at the top that are all the same, some. */
export class FirstRows {
  /** Whether rows were left out. */
  hasGaps = false;
  private readonly memory: Uint8Array;
  private readonly stride: number;
  private filled = 0;
  /** Bytes that rows which are all the same may take; 0 from the first one on that is not. */
  private mostPlain: number;

  /**
   * @param stride bytes of a row
   * @param rows that are taken, of a picture of this height
   */
  constructor(stride: number, rows: number, height: number) {
    this.stride = stride;
    this.memory = new Uint8Array(stride * rows);
    this.mostPlain = rows < height ? Math.ceil(rows * MOST_PLAIN) * stride : 0;
  }

  get isFull(): boolean {
    return this.filled === this.memory.length;
  }

  /** What was taken so far. */
  get bytes(): Uint8Array {
    return this.memory.subarray(0, this.filled);
  }

  /** Takes the rows of the next band; gives back those at its end that there is no room for. */
  add(band: Uint8Array): Uint8Array {
    const plain = this.mostPlain > 0 ? this.plainBytesOf(band) : 0;
    const kept = Math.max(0, Math.min(plain, this.mostPlain - this.filled));
    this.hasGaps ||= kept < plain;
    if (plain < band.length) this.mostPlain = 0;
    this.take(band.subarray(0, kept));
    return this.take(band.subarray(plain));
  }

  private take(rows: Uint8Array): Uint8Array {
    const room = this.memory.length - this.filled;
    this.memory.set(rows.subarray(0, room), this.filled);
    this.filled += Math.min(room, rows.length);
    return rows.subarray(room);
  }

  /** Bytes of the first rows of a band that are the same as the first row of the picture. */
  private plainBytesOf(band: Uint8Array): number {
    const first = (this.filled > 0 ? this.memory : band).subarray(0, this.stride);
    let at = 0;
    while (at < band.length && standsAt(band, at, first)) at += this.stride;
    return at;
  }
}
