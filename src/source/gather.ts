/** Chunks of unknown or claimed length gathered in one buffer. */
import type { ApiError } from "../errors.ts";
import { MAX_JSON_BYTES } from "../limits.ts";
import { ORIGINAL_STEP_BYTES, SMALL_ORIGINAL_BYTES } from "../limits/isolate.ts";
import type { Caller } from "../scheduler/caller.ts";
import type { Memory, Reservation } from "../scheduler/held-bytes.ts";

/** The first buffer when nothing is known of the length. */
const START_BYTES = 64 * 1024;

/**
 * Takes chunks one after the other, and holds one copy of them: in a buffer that grows up to ORIGINAL_STEP_BYTES, and in
 * blocks of that size beyond. A buffer that is left behind goes at once, and so does each block as the file is put together,
 * so that pages with something in them never exceed the limit by more than a block.
 */
export interface Gatherer {
  /**
   * Takes a chunk, at once or once there is room for it.
   * @throws the error that `tooLarge` makes, before more than `limit` bytes are held; what `room` throws
   */
  readonly write: (chunk: Uint8Array) => Promise<void> | undefined;
  /** Everything written, in a buffer of at most an eighth more than that: the end of writing. */
  readonly bytes: () => Uint8Array<ArrayBuffer>;
}

/** Told the size of all buffers together before one of them is made; what it returns is waited for. */
export type NeedRoom = (bytes: number) => Promise<void> | undefined;

/**
 * @param limit bytes held at most
 * @param expected bytes, where a header announced them: the first buffer then never grows, unless the announcement was too
 *   low
 */
export function gather(
  limit: number,
  expected: number | undefined,
  tooLarge: () => ApiError,
  room: NeedRoom = () => undefined,
): Gatherer {
  const blocks = new Blocks(limit, expected, room);
  return {
    write(chunk) {
      if (blocks.length + chunk.length > limit) throw tooLarge();
      return blocks.put(chunk);
    },
    bytes: () => blocks.joined(),
  };
}

/** Full blocks, and the one that is written to. */
class Blocks {
  private full: readonly Uint8Array<ArrayBuffer>[] = [];
  private fullBytes = 0;
  private last = new Uint8Array(0);
  private used = 0;
  private readonly limit: number;
  private readonly expected: number | undefined;
  private readonly room: NeedRoom;

  constructor(limit: number, expected: number | undefined, room: NeedRoom) {
    this.limit = limit;
    this.expected = expected;
    this.room = room;
  }

  get length(): number {
    return this.fullBytes + this.used;
  }

  put(chunk: Uint8Array): Promise<void> | undefined {
    for (let rest = chunk; rest.length > 0;) {
      const waiting = this.used === this.last.length ? this.extend(rest.length) : undefined;
      // What is left of the chunk is valid until the promise resolves; by then there is room.
      if (waiting) return waiting.then(() => this.put(rest));
      const some = rest.subarray(0, this.last.length - this.used);
      this.last.set(some, this.used);
      this.used += some.length;
      rest = rest.subarray(some.length);
    }
    return undefined;
  }

  joined(): Uint8Array<ArrayBuffer> {
    const { full, last, used } = this;
    if (full.length === 0 && last.length - used <= used / 8) return last.subarray(0, used);
    const whole = new Uint8Array(this.length);
    let at = 0;
    for (const block of [...full, last.subarray(0, used)]) {
      whole.set(block, at);
      at += block.length;
      block.buffer.transfer(0);
    }
    this.full = [];
    this.fullBytes = 0;
    this.last = whole;
    this.used = whole.length;
    return whole;
  }

  /** Makes the first block larger, up to its size, or begins another one: undefined once that is done. */
  private extend(needed: number): Promise<void> | undefined {
    const isFirst = this.full.length === 0 && this.last.length < ORIGINAL_STEP_BYTES;
    const before = this.fullBytes + (isFirst ? 0 : this.last.length);
    const size = Math.min(ORIGINAL_STEP_BYTES, this.limit - before, this.wanted(needed, before, isFirst));
    const waiting = this.room(before + size);
    if (waiting) return waiting;
    const next = new Uint8Array(size);
    if (isFirst) {
      next.set(this.last.subarray(0, this.used));
      this.last.buffer.transfer(0);
    } else {
      this.full = [...this.full, this.last];
      this.fullBytes = before;
      this.used = 0;
    }
    this.last = next;
    return undefined;
  }

  /** Bytes of the next block: what is expected, if that is known; else twice as many as before, and then whole blocks. */
  private wanted(needed: number, before: number, isFirst: boolean): number {
    const expected = (this.expected ?? 0) - before;
    if (!isFirst) return expected > 0 ? Math.max(needed, expected) : ORIGINAL_STEP_BYTES;
    const least = this.last.length + needed;
    return Math.max(least, expected > 0 ? expected : Math.max(START_BYTES, this.last.length * 2));
  }
}

/** Room for a body, and what takes more of it before a buffer is made. */
export interface Room {
  readonly reservation: Reservation;
  readonly need: NeedRoom;
}

/**
 * Waits for room before a body is read: for what it announces, or its first step; for a small one where it announces
 * nothing, which becomes the largest that is allowed as soon as it turns out to be none.
 * @throws ApiError 503 when there is none in time, `need` too
 */
export async function roomFor(
  memory: Memory,
  announced: number | undefined,
  most: number,
  caller: Caller | undefined,
): Promise<Room> {
  const first = Math.min(announced ?? SMALL_ORIGINAL_BYTES, most);
  const reservation = await memory.take(first, { most: first, ceiling: most, caller });
  // Beside a buffer that grows stand the one that it replaces, and the options of an upload.
  const beside = (bytes: number) =>
    announced === undefined && bytes > SMALL_ORIGINAL_BYTES / 2 ? bytes + MAX_JSON_BYTES : bytes;
  return { reservation, need: (bytes) => reservation.grow(Math.min(most, beside(bytes))) };
}
