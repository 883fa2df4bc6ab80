/**
 * The isolate's only thread, shared by turns: work runs in stretches, and between two of them everybody else has a go.
 *
 * The clock of a deployed isolate stands still while it computes, so stretches are measured by what work declares that
 * it takes (`spend`), and by the clock besides, where it moves.
 */
import type { Pause } from "./poll.ts";
import { WaitQueue } from "./wait-queue.ts";

/** Declared milliseconds after which work makes way. Light requests are answered in between. */
const STRETCH_MS = 40;

/** The right to compute, until it is given back; handed to work by `Budget.run`. */
export interface TimeSlice {
  /**
   * Declares work of so many milliseconds that was just done, or is about to be done. Where a stretch is full the
   * promise that comes back resolves once others had their turn; every view of native memory is void by then.
   * @throws the reason of the caller's signal when nobody waits for the work any more, or it has taken too long
   */
  spend(ms: number): Promise<void> | undefined;
  /** Milliseconds for which this work has had the thread, as far as that can be known; pauses do not count. */
  worked(): number;
}

/** What there is to say of work that was ended: for the log. */
export type Mark = Readonly<Record<string, unknown>>;

/** Who computes, and how it is described should it never come back. */
interface Holder {
  readonly mark: () => Mark;
}

/**
 * Grants the thread to one piece of work at a time, in the order in which they ask.
 *
 * Whoever has the thread gives it up before anything else can happen in the isolate. Only an invocation that the
 * platform ends in the midst of a stretch, for its time or its memory, leaves it taken: none of its frames is ever
 * left, by no `finally`. So an event that finds the thread taken as it begins (`look`) is one after such an end.
 */
export class Thread {
  /** Whose stretch it is: the mark that stands while somebody computes. */
  private holder: Holder | undefined;
  /** What is done at once, and in whose midst the same may happen. */
  private atOnceDepth = 0;
  private readonly queue: WaitQueue;
  private readonly now: () => number;
  private readonly pause: () => Promise<void>;
  private readonly listeners: ((mark: Mark) => void)[] = [];

  /**
   * @param now milliseconds, of any beginning
   * @param pause resolves after everything else that is due
   * @param look how time passes for whoever waits for the thread; by a timer, unless told
   */
  constructor(now: () => number, pause: () => Promise<void>, look?: Pause) {
    this.now = now;
    this.pause = pause;
    this.queue = new WaitQueue({ now, onEvent: () => this.look(), pause: look });
  }

  /** Those who wait for the thread. */
  get waiting(): number {
    return this.queue.length;
  }

  /** Has `listener` told when work was ended in the midst of a stretch, and which. */
  onEnded(listener: (mark: Mark) => void): void {
    this.listeners.push(listener);
  }

  /**
   * To be called where an event begins, and nowhere else. Work whose stretch stands open was ended in its midst: the
   * thread is free, and whoever listens is told.
   * @returns whether it was so
   */
  look(): boolean {
    if (!this.holder && this.atOnceDepth === 0) return false;
    // Listeners put in order what the mark tells of.
    const mark = this.holder?.mark() ?? {};
    this.holder = undefined;
    this.atOnceDepth = 0;
    for (const listener of this.listeners) listener(mark);
    this.queue.renew();
    return true;
  }

  /** Does work that is over before anything else happens, whoever has the thread: to look into a file. */
  atOnce<Result>(work: () => Result): Result {
    this.atOnceDepth++;
    try {
      return work();
    } finally {
      this.atOnceDepth = Math.max(0, this.atOnceDepth - 1);
    }
  }

  /**
   * Runs `work` in stretches that alternate with those of other work; in them it waits for nothing but its pauses.
   * @param signal asked before every stretch whether the work is to end
   * @param standBack asked in every pause; where it gives a promise the work does not go on before that is resolved
   * @param mark what there is to say of it should the platform end it
   */
  async run<Result>(
    work: (timeSlice: TimeSlice) => Result | Promise<Result>,
    signal?: Pick<AbortSignal, "throwIfAborted">,
    standBack?: () => Promise<void> | undefined,
    mark: () => Mark = () => ({}),
  ): Promise<Result> {
    const self = { mark };
    await this.take(self);
    const stretches = new Stretches(this.now);
    let isResting = false;
    let isOver = false;
    const rest = async () => {
      // The thread cannot be given up twice: everybody would wait for ever.
      if (isResting) throw new Error("two pieces of work share one time slice");
      isResting = true;
      stretches.end();
      this.release(self);
      await this.pause();
      await standBack?.();
      await this.take(self);
      if (isOver) return this.release(self);
      isResting = false;
      stretches.begin();
      signal?.throwIfAborted();
    };
    try {
      signal?.throwIfAborted();
      return await work({
        spend: (ms) => (stretches.isFull(ms) ? rest() : undefined),
        worked: () => stretches.worked(),
      });
    } finally {
      isOver = true;
      // Work that failed beside a pause of its own does not have the thread: the pause gives it back.
      if (!isResting) this.release(self);
    }
  }

  private take(self: Holder): Promise<void> | undefined {
    const claim = () => {
      if (this.holder) return false;
      this.holder = self;
      return true;
    };
    if (this.queue.length === 0 && claim()) return undefined;
    return this.queue.wait(({ first }) => first && claim());
  }

  private release(self: Holder): void {
    if (this.holder !== self) return;
    this.holder = undefined;
    this.queue.call();
  }
}

/** The time of one piece of work: the stretch that it is in, and those before. */
class Stretches {
  private declaredMs = 0;
  private since: number;
  private before = 0;
  private readonly now: () => number;

  constructor(now: () => number) {
    this.now = now;
    this.since = now();
  }

  /** Whether the stretch has had its time, `ms` more included. */
  isFull(ms: number): boolean {
    this.declaredMs += ms;
    return this.declaredMs >= STRETCH_MS || this.now() - this.since >= STRETCH_MS;
  }

  end(): void {
    this.before = this.worked();
  }

  begin(): void {
    this.declaredMs = 0;
    this.since = this.now();
  }

  /** By the clock, or by what was declared where the clock stands still. */
  worked(): number {
    return this.before + (this.now() - this.since || this.declaredMs);
  }
}

/** A time slice whose declarations somebody is told of, before they are made. */
export function observed(timeSlice: TimeSlice, told: (ms: number) => void): TimeSlice {
  return {
    spend(ms) {
      told(ms);
      return timeSlice.spend(ms);
    },
    worked: () => timeSlice.worked(),
  };
}

/** The thread of this isolate. */
export const isolateThread = new Thread(
  () => performance.now(),
  () => scheduler.wait(0),
);

/** For work that is done at once, because it is small or nobody else is there: tests, benchmarks. */
export const UNPAUSED: TimeSlice = { spend: () => undefined, worked: () => 0 };
