/**
 * The isolate as a whole. The platform may end an invocation in the midst of its work, for its time or its memory, and
 * sends the next one to the same isolate. What it left is put in order at once (`scheduler/time-slice.ts`), and the isolate has
 * itself replaced once nobody is at work in it.
 */
import { isolateBlocks } from "../account/blocks.ts";
import { logLine } from "../log.ts";
import { count } from "../metrics.ts";
import { isolateBudget } from "../scheduler/budget.ts";
import { isolateThread } from "../scheduler/time-slice.ts";

/** How long nobody must be at work before the isolate ends: answers are on their way, and whoever lives was heard of. */
const QUIET_MS = 3_000;

/** What there is to know and to do. */
export interface Surroundings {
  /** Puts in order what ended work left, when an event begins; tells whether there was something. */
  readonly look: () => boolean;
  /** Whether nobody holds memory or waits for it. */
  readonly isIdle: () => boolean;
  /** Ends the isolate, with everything in it; undefined where the platform does not have it. */
  readonly abort: ((reason: string) => void) | undefined;
  readonly pause: (milliseconds: number) => Promise<void>;
  /** Tells others what only this isolate knows. */
  readonly tellAll: () => Promise<void>;
}

export class Isolate {
  private under = 0;
  /** Counts ends: who came in before the last one is not waited for. */
  private ends = 0;
  private readonly surroundings: Surroundings;

  constructor(surroundings: Surroundings) {
    this.surroundings = surroundings;
  }

  /** Work was ended in its midst. */
  noteEnd(): void {
    this.ends++;
    this.under = 0;
  }

  /**
   * An invocation, from its first moment on: nothing else may come before it.
   * @param defer keeps the invocation going
   */
  async during<Result>(defer: (work: Promise<unknown>) => void, work: () => Result | Promise<Result>): Promise<Result> {
    this.surroundings.look();
    const { ends } = this;
    this.under++;
    try {
      return await work();
    } finally {
      if (ends === this.ends) this.under--;
      if (this.ends > 0 && this.isQuiet()) defer(this.replaceWhenQuiet());
    }
  }

  private isQuiet(): boolean {
    return this.under === 0 && this.surroundings.isIdle();
  }

  private async replaceWhenQuiet(): Promise<void> {
    await this.surroundings.pause(QUIET_MS);
    if (!this.surroundings.abort || !this.isQuiet()) return;
    await this.surroundings.tellAll();
    if (!this.isQuiet()) return;
    count("replacements_total");
    logLine("error", { event: "isolate replaced" });
    this.surroundings.abort("work was ended in its midst");
  }
}

/**
 * This isolate.
 * @param abort ends it, where the platform has that
 */
export function thisIsolate(abort: Surroundings["abort"]): Isolate {
  const isolate = new Isolate({
    look: () => isolateThread.look(),
    isIdle: () => {
      const { work, originals } = isolateBudget.held;
      return work + originals + isolateBudget.waiting + isolateThread.waiting === 0;
    },
    abort,
    pause: (milliseconds) => scheduler.wait(milliseconds),
    tellAll: () => isolateBlocks.tellAll(),
  });
  isolateThread.onEnded((mark) => {
    isolate.noteEnd();
    count("ended_total");
    logLine("error", { ...mark, event: "work was ended in its midst" });
  });
  return isolate;
}
