/**
 * Which jobs run in this isolate at the same time. A job whose start ended without a word may be what killed its
 * processor, and everybody beside it: from its second start on it is alone.
 */
import { ALONE_PAUSE_MS, RUN_LEASE_MS } from "../limits.ts";

interface Place {
  readonly alone: boolean;
  /** Whoever is still here by then was killed: milliseconds since 1970. */
  until: number;
}

export interface Clock {
  readonly now: () => number;
  readonly pause: (milliseconds: number) => Promise<void>;
}

export class Company {
  private places: readonly Place[] = [];
  private readonly clock: Clock;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /**
   * Joins the jobs that run here; one that must be alone waits for the others, and keeps further ones out.
   * @returns what to call at the end; undefined when the job has to be put back, because another is alone or the others
   *   do not end
   */
  async join(alone: boolean): Promise<(() => void) | undefined> {
    if (this.present().some((place) => place.alone)) return undefined;
    const place = { alone, until: this.clock.now() + RUN_LEASE_MS };
    this.places = [...this.present(), place];
    const leave = () => void (this.places = this.places.filter((taken) => taken !== place));
    if (!alone) return leave;
    while (this.present().some((other) => other !== place)) {
      if (this.clock.now() + ALONE_PAUSE_MS > place.until) {
        leave();
        return undefined;
      }
      await this.clock.pause(ALONE_PAUSE_MS);
    }
    place.until = this.clock.now() + RUN_LEASE_MS;
    return leave;
  }

  private present(): readonly Place[] {
    const now = this.clock.now();
    return this.places.filter(({ until }) => until > now);
  }
}
