/** A budget in a simulated isolate: time passes when it is told to, and jobs read, wait, work and go by that. */
import { vi } from "vitest";

import { Allowance } from "../../src/image/allowance.ts";
import { type Breath, Thread } from "../../src/image/breath.ts";
import { Budget, type BudgetOptions } from "../../src/image/budget.ts";

/** What is done between two moments. */
const STEP_MS = 250;
/** Microtasks in which somebody who can go on is seen to: far more than lie between two changes of what is seen. */
const MICROTASKS = 40;

export interface SimulatedJob {
  readonly account: string;
  readonly arrivesAt: number;
  readonly original: number;
  readonly readingMs: number;
  /** Bytes of its pieces of work, one after the other. */
  readonly works: readonly number[];
  /** Bytes that each of them would have besides, and can do without. */
  readonly spare?: number;
  readonly workMs: number;
}

export type Outcome = "done" | "refused at the door" | "refused in the line";

export interface Told {
  readonly outcome: Outcome;
  readonly endedAt: number;
  /** Work that came to the line later and began before its own, the most that any of its pieces saw. */
  readonly passes: number;
}

interface Waiting {
  passes: number;
}

export class SimulatedBudget {
  /** The most that was ever declared, and the most jobs that ever held an original. */
  most = { bytes: 0, inside: 0 };
  readonly budget: Budget;
  private clock = 0;
  private inside = 0;
  private waiting: readonly Waiting[] = [];
  private pauses: (() => void)[] = [];

  constructor(totalBytes: number, maxWaiting: number, options: BudgetOptions) {
    const now = () => this.clock;
    const thread = new Thread(now, () => new Promise((resolve) => void this.pauses.push(resolve)));
    this.budget = new Budget(totalBytes, maxWaiting, { ...options, now, thread });
  }

  /** Lets all jobs run, and tells what became of each. @throws Error when one has not ended by then */
  async run(jobs: readonly SimulatedJob[], untilMs: number): Promise<readonly Told[]> {
    const told: (Told | undefined)[] = jobs.map(() => undefined);
    const running = jobs.map(async (job, index) => {
      await this.reach(job.arrivesAt);
      const passes = { most: 0 };
      const outcome = await this.perform(job, passes);
      told[index] = { outcome, endedAt: this.clock, passes: passes.most };
    });
    while (this.clock < untilMs && told.includes(undefined)) await this.step();
    if (told.includes(undefined)) throw new Error(`a job has not ended after ${untilMs} ms`);
    await Promise.all(running);
    return told.filter((one) => one !== undefined);
  }

  private async perform(job: SimulatedJob, passes: { most: number }): Promise<Outcome> {
    const original = this.reserved(job.original);
    if (!original) return "refused at the door";
    this.inside++;
    try {
      await this.reach(this.clock + job.readingMs);
      const allowance = new Allowance({ account: job.account });
      for (const bytes of job.works) await this.worked(bytes, job, allowance, passes);
      return "done";
    } catch (error) {
      if ((error as { status?: unknown }).status !== 503) throw error;
      return "refused in the line";
    } finally {
      this.inside--;
      original.release();
    }
  }

  private reserved(bytes: number) {
    try {
      return this.budget.reserve(bytes);
    } catch {
      return undefined;
    }
  }

  private async worked(
    bytes: number,
    { workMs, spare = 0 }: SimulatedJob,
    allowance: Allowance,
    passes: { most: number },
  ): Promise<void> {
    const mine: Waiting = { passes: 0 };
    this.waiting = [...this.waiting, mine];
    const leave = () => {
      passes.most = Math.max(passes.most, mine.passes);
      this.waiting = this.waiting.filter((one) => one !== mine);
    };
    try {
      await this.budget.runIn(
        [{ bytes: bytes + spare }, { bytes }],
        async (breath: Breath) => {
          for (const passed of this.waiting.slice(0, this.waiting.indexOf(mine))) passed.passes++;
          leave();
          const end = this.clock + workMs;
          while (this.clock < end) await breath.spend(Infinity);
        },
        allowance,
      );
    } finally {
      leave();
    }
  }

  /** Resolves at a moment. */
  private async reach(moment: number): Promise<void> {
    while (this.clock < moment) await new Promise<void>((resolve) => void this.pauses.push(resolve));
  }

  private async step(): Promise<void> {
    this.clock += STEP_MS;
    vi.advanceTimersByTime(STEP_MS);
    const pauses = this.pauses;
    this.pauses = [];
    for (const resume of pauses) resume();
    await this.settled();
    const { work, originals } = this.budget.held;
    this.most = { bytes: Math.max(this.most.bytes, work + originals), inside: Math.max(this.most.inside, this.inside) };
  }

  /** Resolves once nobody can go on without time: who were stopped in a stretch would be taken for ended by the next event. */
  private async settled(): Promise<void> {
    for (let before = ""; before !== this.seen();) {
      before = this.seen();
      for (let turn = 0; turn < MICROTASKS; turn++) await Promise.resolve();
    }
  }

  /** All that somebody changes who goes on. */
  private seen(): string {
    const { held, waiting } = this.budget;
    return [held.work, held.originals, waiting, this.waiting.length, this.inside, this.pauses.length].join(" ");
  }
}
