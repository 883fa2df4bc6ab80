/** The time that a call may take, all of its redirects included: it stands while the call waits for us. */

export interface Deadline {
  /** Aborted when the time is over, or when the given signal is. */
  readonly signal: AbortSignal;
  /** Does something that the other side is not to answer for. */
  readonly paused: <Result>(work: () => Promise<Result>) => Promise<Result>;
  /** To be called at the end, however the call ended. */
  readonly clear: () => void;
}

/** @param given aborted when nobody waits for the call any more */
export function deadlineIn(milliseconds: number, given?: AbortSignal): Deadline {
  const over = new AbortController();
  let left = milliseconds;
  let since = Date.now();
  const start = () => setTimeout(() => over.abort(), Math.max(0, left));
  let timer = start();
  return {
    signal: given ? AbortSignal.any([given, over.signal]) : over.signal,
    async paused(work) {
      clearTimeout(timer);
      left -= Date.now() - since;
      try {
        return await work();
      } finally {
        since = Date.now();
        timer = start();
      }
    },
    clear: () => clearTimeout(timer),
  };
}
