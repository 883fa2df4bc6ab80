/** Processes whose every call to the outside waits for the test to let it happen, to make it fail, or to kill the caller. */

/** A call fails before or after its effect, or its caller dies before or after it. */
export type Fault = "fails before" | "fails after" | "dies before" | "dies after";

export interface Life {
  alive: boolean;
  /** It was not told what came of a call, or could not write it down: it may do it again. */
  excused: boolean;
  /** What this process would do by a timer. */
  readonly renewals: Set<() => void>;
  /** What it does when its time is up. */
  readonly deadlines: Set<() => void>;
}

interface Call {
  readonly life: Life;
  readonly name: string;
  readonly go: (fault: Fault | undefined) => Promise<void>;
}

export class Processes {
  calls: Call[] = [];
  faults = 0;
  /** What happened, in order. */
  readonly trail: string[] = [];
  protected readonly deaths = new Map<Life, () => void>();

  protected born(): Life {
    return { alive: true, excused: false, renewals: new Set(), deadlines: new Set() };
  }

  protected live(life: Life, work: () => Promise<unknown>): void {
    const over = () => this.deaths.delete(life);
    work().then(over, over);
  }

  protected spawn(work: (life: Life) => Promise<unknown>): void {
    const life = this.born();
    this.live(life, () => work(life));
  }

  /** Lets one of the waiting calls happen, or not. */
  async step(index: number, fault?: Fault): Promise<void> {
    const [call] = this.calls.splice(index % this.calls.length, 1);
    if (!call) return;
    if (fault) this.faults += 1;
    if (fault && (call.name === "post" || call.name === "journal.write")) call.life.excused = true;
    this.trail.push(`${call.name} ${fault ?? ""}`);
    await call.go(fault);
    await drain();
  }

  protected killAll(): void {
    for (const { life } of this.calls) this.kill(life);
    this.calls = [];
  }

  protected kill(life: Life): void {
    if (!life.alive) return;
    life.alive = false;
    life.renewals.clear();
    life.deadlines.clear();
    this.deaths.get(life)?.();
    this.deaths.delete(life);
  }

  /** A call to the outside that waits in `calls` until it is let go, and may then fail or be the last. */
  protected gated<Args extends unknown[], Result>(life: Life, name: string, call: (...args: Args) => Promise<Result>) {
    return (...args: Args): Promise<Result> =>
      new Promise((resolve, reject) => {
        if (!life.alive) return;
        const go = async (fault: Fault | undefined) => {
          if (fault === "fails before") return reject(new Error("injected"));
          if (fault === "dies before") return this.die(life);
          const outcome = await call(...args).then(
            (value) => () => resolve(value),
            (error: unknown) => () => reject(error instanceof Error ? error : new Error(String(error))),
          );
          if (fault === "fails after") return reject(new Error("injected"));
          if (fault === "dies after") return this.die(life);
          outcome();
        };
        this.calls.push({ life, name, go });
      });
  }

  protected die(life: Life): void {
    this.kill(life);
    this.calls = this.calls.filter((call) => call.life !== life);
  }
}

/** Lets every continuation run that needs nothing from outside. */
export async function drain(): Promise<void> {
  for (let turn = 0; turn < 60; turn += 1) await Promise.resolve();
}
