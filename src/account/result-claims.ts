/**
 * Of equal requests that come together, the first does the work and the others wait for its result. Who works is kept in
 * memory alone: where it is lost, the work is done twice, as it is by requests that do not come together.
 */
import { REUSE_CLAIM_MS } from "../limits/reuse.ts";

/** Somebody looks for a result, and does the work where there is none. */
export interface ClaimAsk {
  /** Names the request, which ends its claim with it. */
  readonly claim: string;
  /** How long it would rather wait for somebody else's result than do the work itself. */
  readonly waitMs: number;
}

/** Waits until a moment has come, or the signal ends the wait. */
type Pause = (milliseconds: number, signal: AbortSignal) => Promise<void>;

interface Running {
  readonly claim: string;
  /** Milliseconds since the epoch. Who has not ended by then is taken for lost. */
  readonly until: number;
  readonly ended: PromiseWithResolvers<void>;
}

export class ResultClaims {
  readonly #running = new Map<string, Running>();
  readonly #pause: Pause;

  constructor(pause: Pause = paused) {
    this.#pause = pause;
  }

  /**
   * A result, or undefined for who is to do the work: somebody who has claimed it now, or has waited long enough.
   * @param look finds the result where it is there
   */
  async find<Result>(
    name: string,
    { claim, waitMs }: ClaimAsk,
    look: () => Result | undefined,
    now: () => number,
  ): Promise<Result | undefined> {
    const end = now() + waitMs;
    for (;;) {
      const found = look();
      if (found !== undefined) return found;
      const running = this.#running.get(name);
      if (!running || running.until <= now()) {
        const until = now() + REUSE_CLAIM_MS;
        this.#running.set(name, { claim, until, ended: Promise.withResolvers<void>() });
        return undefined;
      }
      const leftMs = Math.min(end, running.until) - now();
      if (leftMs <= 0) return undefined;
      const waiting = new AbortController();
      await Promise.race([running.ended.promise, this.#pause(leftMs, waiting.signal)]);
      waiting.abort();
    }
  }

  /** The work of a request has ended, with a result or without: one of those who wait looks, and the next begins. */
  end(claim: string): void {
    for (const [name, running] of this.#running) {
      if (running.claim !== claim) continue;
      this.#running.delete(name);
      running.ended.resolve();
    }
  }
}

function paused(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener("abort", () => clearTimeout(timer), { once: true });
  });
}
