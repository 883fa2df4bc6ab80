/**
 * Which jobs run in this isolate at the same time. A job whose start ended without a word may be what killed its
 * processor, and everybody beside it: from its second start on it is alone.
 *
 * Requests that are answered at once are not among them. Nobody but their caller starts them again, who sees that they
 * failed, and each try is admitted at its estimate anew, as one of the account's requests, with a credit that stays reserved
 * when the isolate dies. Were they suspects, too, any caller could keep all others out of an isolate by one request.
 */
import { ALONE_PAUSE_MS, RUN_LEASE_MS } from "../limits/webhook.ts";
import type { Place } from "./ports.ts";

interface Taken {
  readonly alone: boolean;
  /** Whoever has not said by then that it is alive was killed: milliseconds since 1970. */
  until: number;
}

export interface Clock {
  readonly now: () => number;
  readonly pause: (milliseconds: number) => Promise<void>;
}

export class Company {
  private places: readonly Taken[] = [];
  private readonly clock: Clock;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /**
   * Joins the jobs that run here; one that must be alone waits for the others, and keeps further ones out.
   * @returns undefined when the job has to be put back, because another is alone or the others do not end
   */
  async join(alone: boolean): Promise<Place | undefined> {
    if (this.isClosed()) return undefined;
    const taken = { alone, until: 0 };
    const stay = () => void (taken.until = this.clock.now() + RUN_LEASE_MS);
    const leave = () => void (this.places = this.places.filter((other) => other !== taken));
    stay();
    this.places = [...this.present(), taken];
    if (!alone) return { stay, leave };
    while (this.present().some((other) => other !== taken)) {
      if (this.clock.now() + ALONE_PAUSE_MS > taken.until) {
        leave();
        return undefined;
      }
      await this.clock.pause(ALONE_PAUSE_MS);
    }
    stay();
    return { stay, leave };
  }

  /** Whether somebody is alone here, or waits to be: nobody else may join. */
  isClosed(): boolean {
    return this.present().some(({ alone }) => alone);
  }

  private present(): readonly Taken[] {
    const now = this.clock.now();
    return this.places.filter(({ until }) => until > now);
  }
}
