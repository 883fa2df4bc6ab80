/**
 * A budget in a simulated isolate: time passes when it is told to, and requests come, wait, read, work and go by that.
 * They may leave, send more than they announced, or be killed: then nothing of them runs any more, and none of their
 * timers fires.
 */
import { AsyncLocalStorage } from "node:async_hooks";

import { vi } from "vitest";

import type { BudgetOptions } from "../../src/scheduler/budget-options.ts";
import { Budget } from "../../src/scheduler/budget.ts";
import { Caller } from "../../src/scheduler/caller.ts";
import { JobLimits } from "../../src/scheduler/job-limits.ts";
import { type TimeSlice, Thread } from "../../src/scheduler/time-slice.ts";

/** What is done between two moments. */
const STEP_MS = 250;
/** Microtasks in which somebody who can go on is seen to: far more than lie between two changes of what is seen. */
const MICROTASKS = 16;

/** Rounds of them between two moments: beyond, somebody goes on for ever. */
const MAX_ROUNDS = 1_000;

export interface SimulatedJob {
  readonly account: string;
  readonly arrivesAt: number;
  /** Bytes that the request announces, and that it then sends, as long as that takes. */
  readonly announced: number;
  readonly sent?: number;
  readonly readingMs: number;
  /** Bytes of its pieces of work, one after the other. */
  readonly works: readonly number[];
  /** Bytes that each of them would have besides, and can do without. */
  readonly spare?: number;
  readonly workMs: number;
  /** Milliseconds after its arrival at which its caller leaves. */
  readonly leavesAfter?: number | undefined;
  /** Where it is killed: while its body is read, in a pause of its work, or in the midst of a stretch. */
  readonly killed?: "reading" | "pause" | "stretch" | undefined;
  /** Bytes of native memory that its work gives up, which are collected some time later. */
  readonly drops?: number;
  /** Bytes that each piece of its work comes to take, half at once and half in its midst, whatever it declared. */
  readonly grows?: number;
}

export type Outcome = "done" | "left" | "killed" | "waited out" | "declared" | "blocked";

export interface Told {
  readonly outcome: Outcome;
  readonly endedAt: number;
  /** Work that came to the queue later and began before its own, the most that any of its pieces saw. */
  readonly passes: number;
}

interface Waiting {
  passes: number;
}

/** An invocation, as its timers know it. */
interface Life {
  isOver: boolean;
}

interface Paused {
  readonly life: Life | undefined;
  readonly resume: () => void;
}

const lives = new AsyncLocalStorage<Life>();

/** Timers that end with the invocation that has set them. To be called once timers are faked. */
export function bindTimers(): void {
  for (const name of ["setTimeout", "setInterval"] as const) {
    const plain = globalThis[name] as unknown as (call: () => void, ms?: number) => unknown;
    const bound = (call: () => void, ms?: number) => {
      const life = lives.getStore();
      return plain(() => {
        if (!life?.isOver) call();
      }, ms);
    };
    Object.assign(globalThis, { [name]: bound });
  }
}

export interface SimulatedOptions extends BudgetOptions {
  /** How long a memory that was given up lies about. */
  readonly collectedAfterMs?: number;
  /** The engine collects it when it is made to. */
  readonly isCollecting?: boolean;
}

export class SimulatedBudget {
  /** The most that was ever held, without what work has grown by beyond what it declared, and the most jobs ever inside. */
  most = { bytes: 0, inside: 0 };
  readonly budget: Budget;
  private clock = 0;
  private isRecounted = false;
  private inside = 0;
  private readonly maxWaitMs: number;
  private readonly collectedAfterMs: number;
  /** What native memory has grown by since the budget asked for it last. */
  private grown = 0;
  /** By how much work that runs has grown beyond what it declared. */
  private excess: ReadonlyMap<object, number> = new Map();
  private dropped: readonly { readonly bytes: number; readonly at: number }[] = [];
  private waiting: readonly Waiting[] = [];
  private pauses: Paused[] = [];
  /** Who waits, and looks whether it was called: as soon as everything else has come to rest. */
  private looks: Paused[] = [];

  constructor(totalBytes: number, options: SimulatedOptions) {
    const now = () => this.clock;
    const pause = () => new Promise<void>((resume) => void this.looks.push({ life: lives.getStore(), resume }));
    const thread = new Thread(now, () => this.pause(), pause);
    this.maxWaitMs = options.maxWaitMs ?? 25_000;
    this.collectedAfterMs = options.collectedAfterMs ?? 0;
    const droppedBytes = () => this.dropped.reduce((sum, { bytes }) => sum + bytes, 0);
    const grownBytes = () => {
      const { grown } = this;
      this.grown = 0;
      return grown;
    };
    const collect = () => {
      if (options.isCollecting) this.dropped = [];
    };
    this.budget = new Budget(totalBytes, { droppedBytes, grownBytes, collect, ...options, now, thread, pause });
  }

  /** Lets all jobs run, and tells what became of each. @throws Error when one has not ended by then */
  async run(jobs: readonly SimulatedJob[], untilMs: number): Promise<readonly Told[]> {
    const told: (Told | undefined)[] = jobs.map(() => undefined);
    for (const [index, job] of jobs.entries()) {
      const life = { isOver: false };
      const passes = { most: 0 };
      const tell = (outcome: Outcome) => (told[index] = { outcome, endedAt: this.clock, passes: passes.most });
      const end = () => {
        if (job.killed === "stretch") this.isRecounted = true;
        life.isOver = true;
        tell("killed");
      };
      void lives.run(life, async () => {
        await this.reach(job.arrivesAt);
        tell(await this.perform(job, passes, end));
      });
    }
    while (this.clock < untilMs && told.includes(undefined)) await this.step();
    if (told.includes(undefined)) throw new Error(`a job has not ended after ${untilMs} ms`);
    return told.filter((one) => one !== undefined);
  }

  /** Lets time pass in which nobody comes. */
  async rest(milliseconds: number): Promise<void> {
    for (const end = this.clock + milliseconds; this.clock < end;) await this.step();
  }

  private async perform(job: SimulatedJob, passes: { most: number }, end: () => void): Promise<Outcome> {
    const leaving = new AbortController();
    const { leavesAfter, account } = job;
    if (leavesAfter !== undefined) setTimeout(() => leaving.abort(new Error("left")), leavesAfter);
    const caller = new Caller({ account, maxWaitMs: this.maxWaitMs, signal: leaving.signal });
    let original: Awaited<ReturnType<Budget["take"]>> | undefined;
    let isInside = false;
    try {
      this.budget.expect(caller);
      original = await this.budget.take(job.announced, { ceiling: 32, caller });
      isInside = true;
      this.inside++;
      await this.read(job, original, leaving.signal, end);
      const jobLimits = new JobLimits({ caller, signal: leaving.signal });
      for (const bytes of job.works) await this.worked(bytes, job, jobLimits, { passes, end });
      return "done";
    } catch (error) {
      return this.outcomeOf(error, caller);
    } finally {
      if (isInside) this.inside--;
      original?.release();
      caller.settle();
    }
  }

  private outcomeOf(error: unknown, caller: Caller): Outcome {
    const { status, message, headers } = error as { status?: number; message?: string; headers?: object };
    if (message === "left") return "left";
    if (status !== 503) throw error;
    if (caller.waitedMs >= this.maxWaitMs) return "waited out";
    if (Number((headers as Record<string, string>)["Retry-After"]) * 1_000 > this.maxWaitMs) return "declared";
    // All who are inside waited for each other; by now somebody else may have begun.
    return "blocked";
  }

  /** Reads a body in four pieces, each of which takes its room. */
  private async read(
    { announced, sent = announced, readingMs, killed }: SimulatedJob,
    original: Awaited<ReturnType<Budget["take"]>>,
    signal: AbortSignal,
    end: () => void,
  ): Promise<void> {
    for (let piece = 1; piece <= 4; piece++) {
      await this.reach(this.clock + readingMs / 4);
      signal.throwIfAborted();
      if (killed === "reading" && piece === 3) await ended(end);
      await original.grow(Math.ceil((sent * piece) / 4));
    }
    original.shrink(sent);
  }

  private async worked(
    bytes: number,
    { workMs, spare = 0, killed, drops = 0, grows = 0 }: SimulatedJob,
    jobLimits: JobLimits,
    { passes, end }: { readonly passes: { most: number }; readonly end: () => void },
  ): Promise<void> {
    const mine: Waiting = { passes: 0 };
    this.waiting = [...this.waiting, mine];
    const leave = () => {
      passes.most = Math.max(passes.most, mine.passes);
      this.waiting = this.waiting.filter((one) => one !== mine);
    };
    try {
      await this.budget.runIn(
        [
          { bytes: bytes + spare, ms: workMs },
          { bytes, ms: workMs },
        ],
        async (timeSlice: TimeSlice, tier: number) => {
          for (const passed of this.waiting.slice(0, this.waiting.indexOf(mine))) passed.passes++;
          leave();
          if (killed === "stretch") await ended(end);
          const until = this.clock + workMs;
          const declared = tier === 0 ? bytes + spare : bytes;
          for (let taken = 0; this.clock < until;) {
            const more = this.clock < until - workMs / 2 ? Math.floor(grows / 2) - taken : grows - taken;
            this.grown += more;
            taken += more;
            this.excess = new Map(this.excess).set(mine, Math.max(0, taken - declared));
            await timeSlice.spend(STEP_MS);
            if (killed === "pause") await ended(end, timeSlice);
          }
          if (drops > 0) this.dropped = [...this.dropped, { bytes: drops, at: this.clock }];
        },
        jobLimits,
      );
    } finally {
      leave();
      this.excess = new Map([...this.excess].filter(([one]) => one !== mine));
    }
  }

  private pause(): Promise<void> {
    return new Promise((resume) => void this.pauses.push({ life: lives.getStore(), resume }));
  }

  /** Resolves at a moment. */
  private async reach(moment: number): Promise<void> {
    while (this.clock < moment) await this.pause();
  }

  private async step(): Promise<void> {
    this.clock += STEP_MS;
    vi.advanceTimersByTime(STEP_MS);
    this.dropped = this.dropped.filter(({ at }) => at + this.collectedAfterMs > this.clock);
    const pauses = this.pauses;
    this.pauses = [];
    for (const { life, resume } of pauses) if (!life?.isOver) resume();
    await this.settled();
    const { work, originals } = this.budget.held;
    // After an end in a stretch who lives is counted anew with its next beat, and until then more may be let in.
    if (this.isRecounted) return;
    const excess = [...this.excess.values()].reduce((sum, bytes) => sum + bytes, 0);
    this.most = {
      bytes: Math.max(this.most.bytes, work + originals - excess),
      inside: Math.max(this.most.inside, this.inside),
    };
  }

  /** Resolves once nobody can go on without time, those who wait included. */
  private async settled(): Promise<void> {
    await this.rested();
    for (let before = ""; before !== this.seen();) {
      before = this.seen();
      const { looks } = this;
      this.looks = [];
      for (const { life, resume } of looks) {
        if (life?.isOver) continue;
        resume();
        await this.rested();
      }
    }
  }

  /**
   * Resolves once nobody can go on before the next event: who were stopped in a stretch would be taken for ended by it.
   */
  private async rested(): Promise<void> {
    let rounds = 0;
    for (let before = ""; before !== this.seen();) {
      before = this.seen();
      if (++rounds > MAX_ROUNDS) throw new Error(`nobody comes to rest: ${before}`);
      for (let turn = 0; turn < MICROTASKS; turn++) await Promise.resolve();
    }
  }

  /** All that somebody changes who goes on. */
  private seen(): string {
    const { held, waiting, waitingAtDoor } = this.budget;
    const { length } = this.waiting;
    return [held.work, held.originals, waiting, waitingAtDoor, length, this.inside, this.pauses.length].join(" ");
  }
}

/** The end of an invocation: nothing behind it happens any more. In a pause its thread is free for others. */
async function ended(end: () => void, pausing?: TimeSlice): Promise<never> {
  end();
  void pausing?.spend(Infinity);
  return new Promise(() => undefined);
}
