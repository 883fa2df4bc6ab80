/**
 * The isolate's only thread, shared by turns: work runs in stretches, and between two of them everybody else has a go.
 *
 * The clock of a deployed isolate stands still while it computes, so stretches are measured by what work declares that it
 * takes (`spend`), and by the clock besides, where it moves.
 */

/** Declared milliseconds after which work makes way. Light requests are answered in between. */
const STRETCH_MS = 40;

/** The right to compute, until it is given back; handed to work by `Budget.run`. */
export interface Breath {
  /**
   * Declares work of so many milliseconds that was just done, or is about to be done. Where a stretch is full the promise
   * that comes back resolves once others had their turn; every view of native memory is void by then.
   * @throws the reason of the caller's signal when nobody waits for the work any more, or it has taken too long
   */
  spend(ms: number): Promise<void> | undefined;
  /** Milliseconds for which this work has had the thread, as far as that can be known; pauses do not count. */
  worked(): number;
}

interface Turn {
  readonly start: () => void;
}

/** Grants the thread to one piece of work at a time, in the order in which they ask. */
export class Thread {
  private taken = false;
  private readonly waiting: Turn[] = [];
  private readonly now: () => number;
  private readonly pause: () => Promise<void>;

  /**
   * @param now milliseconds, of any beginning
   * @param pause resolves after everything else that is due
   */
  constructor(now: () => number, pause: () => Promise<void>) {
    this.now = now;
    this.pause = pause;
  }

  /**
   * Runs `work` in stretches that alternate with those of other work.
   * @param signal asked before every stretch whether the work is to end
   */
  async run<Result>(
    work: (breath: Breath) => Result | Promise<Result>,
    signal?: Pick<AbortSignal, "throwIfAborted">,
  ): Promise<Result> {
    await this.take();
    const stretches = new Stretches(this.now);
    let isResting = false;
    let isOver = false;
    const rest = async () => {
      // The thread cannot be given up twice: everybody would wait for ever.
      if (isResting) throw new Error("two pieces of work share one breath");
      isResting = true;
      stretches.end();
      this.release();
      await this.pause();
      await this.take();
      if (isOver) return this.release();
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
      if (!isResting) this.release();
    }
  }

  private take(): Promise<void> | undefined {
    if (this.taken) return new Promise((start) => this.waiting.push({ start }));
    this.taken = true;
    return undefined;
  }

  private release(): void {
    const next = this.waiting.shift();
    if (next) next.start();
    else this.taken = false;
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

/** The thread of this isolate. */
export const isolateThread = new Thread(
  () => performance.now(),
  () => scheduler.wait(0),
);

/** For work that is done at once, because it is small or nobody else is there: tests, benchmarks. */
export const UNPAUSED: Breath = { spend: () => undefined, worked: () => 0 };
