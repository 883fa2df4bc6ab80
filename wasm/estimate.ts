/** What work takes at most, known before it starts. */

export interface Estimate {
  /** Bytes of memory that are held at the same time. */
  readonly bytes: number;
  /**
   * Milliseconds of processor time, on a machine as fast as the one that `NANOSECONDS_PER_PIXEL` figures were taken on.
   */
  readonly ms: number;
}

/** What a native memory grows by at least: a module of bands and windows may hold so much more than they take. */
export const PAGE_BYTES = 64 << 10;

export const NO_WORK: Estimate = { bytes: 0, ms: 0 };

/** Memory without work. */
export function held(bytes: number): Estimate {
  return { bytes: Math.ceil(bytes), ms: 0 };
}

/** Work of `nanoseconds` for each of `count` pixels, samples or bytes, which holds `bytes` of memory. */
export function estimated(bytes: number, count: number, nanoseconds: number): Estimate {
  return { bytes: Math.ceil(bytes), ms: (count * nanoseconds) / 1e6 };
}

/** Work done one after the other: the memory of the largest, the time of all. */
export function serial(...estimates: readonly Estimate[]): Estimate {
  return estimates.reduce(
    (sum, estimate) => ({ bytes: Math.max(sum.bytes, estimate.bytes), ms: sum.ms + estimate.ms }),
    NO_WORK,
  );
}

/** Work done at the same time, or memory held beside it: the memory and the time of all. */
export function parallel(...estimates: readonly Estimate[]): Estimate {
  return estimates.reduce(
    (sum, estimate) => ({ bytes: sum.bytes + estimate.bytes, ms: sum.ms + estimate.ms }),
    NO_WORK,
  );
}

/** The estimate of work that is done `count` times, one after the other. */
export function times(count: number, { bytes, ms }: Estimate): Estimate {
  return { bytes, ms: ms * count };
}

/** Either of several pieces of work: the most memory and the most time of any. */
export function maximum(...estimates: readonly Estimate[]): Estimate {
  return estimates.reduce(
    (most, estimate) => ({ bytes: Math.max(most.bytes, estimate.bytes), ms: Math.max(most.ms, estimate.ms) }),
    NO_WORK,
  );
}
