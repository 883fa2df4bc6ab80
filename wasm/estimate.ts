/** What work takes at most, known before it starts. */

export interface Price {
  /** Bytes of memory that are held at the same time. */
  readonly bytes: number;
  /**
   * Milliseconds of processor time, on a machine as fast as the one that `NANOSECONDS_PER_PIXEL` figures were taken on.
   */
  readonly ms: number;
}

/** What a native memory grows by at least: a module of bands and windows may hold so much more than they take. */
export const PAGE_BYTES = 64 << 10;

export const FREE: Price = { bytes: 0, ms: 0 };

/** Memory without work. */
export function held(bytes: number): Price {
  return { bytes: Math.ceil(bytes), ms: 0 };
}

/** Work of `nanoseconds` for each of `count` pixels, samples or bytes, which holds `bytes` of memory. */
export function priced(bytes: number, count: number, nanoseconds: number): Price {
  return { bytes: Math.ceil(bytes), ms: (count * nanoseconds) / 1e6 };
}

/** Work done one after the other: the memory of the largest, the time of all. */
export function sequence(...prices: readonly Price[]): Price {
  return prices.reduce((sum, price) => ({ bytes: Math.max(sum.bytes, price.bytes), ms: sum.ms + price.ms }), FREE);
}

/** Work done at the same time, or memory held beside it: the memory and the time of all. */
export function beside(...prices: readonly Price[]): Price {
  return prices.reduce((sum, price) => ({ bytes: sum.bytes + price.bytes, ms: sum.ms + price.ms }), FREE);
}

/** The price of work that is done `count` times, one after the other. */
export function times(count: number, { bytes, ms }: Price): Price {
  return { bytes, ms: ms * count };
}

/** Either of several pieces of work: the most memory and the most time of any. */
export function either(...prices: readonly Price[]): Price {
  return prices.reduce(
    (most, price) => ({ bytes: Math.max(most.bytes, price.bytes), ms: Math.max(most.ms, price.ms) }),
    FREE,
  );
}
