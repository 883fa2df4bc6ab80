/**
 * Globals as an invocation finds them: its own clock, and timers that end with it. Time passes as fast as the test wants:
 * long timers wait until somebody lets time pass.
 */
import { current, type Invocation } from "./invocation.ts";

/** Shorter timers run in real time: turns of the event loop, and pauses of the engine. */
const REAL_MS = 50;

interface Timer {
  readonly due: number;
  readonly invocation: Invocation;
  readonly fire: () => void;
}

export class Time {
  /** Milliseconds by which the world is ahead of this machine. */
  private ahead = 0;
  private readonly timers = new Set<Timer>();
  private readonly real = { now: Date.now.bind(Date), performance: performance.now.bind(performance) };
  private readonly putBack: (() => void)[] = [];

  /** Milliseconds since 1970, for whoever is no invocation. */
  get now(): number {
    return this.real.now() + this.ahead;
  }

  pass(ms: number): void {
    this.ahead += ms;
  }

  /** Fires the timer that is due first; false: there is none, or none that is due by then. */
  fireNext(until = Number.POSITIVE_INFINITY): boolean {
    let first: Timer | undefined;
    for (const timer of this.timers) {
      if (timer.invocation.hasEnded) this.timers.delete(timer);
      else if (!first || timer.due < first.due) first = timer;
    }
    if (!first || first.due > until) return false;
    this.timers.delete(first);
    if (first.due > this.now) this.pass(first.due - this.now);
    first.fire();
    return true;
  }

  install(): void {
    const { setTimeout: later, clearTimeout: notLater, setInterval: again, clearInterval: notAgain } = globalThis;
    const held = new Map<object, Timer>();
    const hold = (invocation: Invocation, ms: number, run: () => void, repeats: boolean): object => {
      const handle = {};
      const set = () => {
        const due = invocation.clock + ms;
        const timer = {
          due,
          invocation,
          fire: () => {
            held.delete(handle);
            invocation.clock = Math.max(invocation.clock, due);
            if (repeats) set();
            current.run(invocation, run);
          },
        };
        held.set(handle, timer);
        this.timers.add(timer);
      };
      set();
      return handle;
    };
    const drop = (handle: unknown): boolean => {
      const timer = held.get(handle as object);
      if (!timer) return false;
      held.delete(handle as object);
      this.timers.delete(timer);
      return true;
    };
    const starting =
      (real: (run: () => void, ms?: number) => unknown, repeats: boolean) =>
      (run: (...given: unknown[]) => void, ms = 0, ...given: unknown[]) => {
        const invocation = current.getStore();
        const called = () => run(...given);
        if (!invocation) return real(called, ms);
        if (ms >= REAL_MS) return hold(invocation, ms, called, repeats);
        return real(() => {
          if (invocation.hasEnded) return;
          invocation.clock += ms;
          called();
        }, ms);
      };
    const stopping = (real: (handle: never) => void) => (handle: unknown) => {
      if (!drop(handle)) real(handle as never);
    };
    const wait = scheduler.wait.bind(scheduler);
    this.put(globalThis, {
      setTimeout: starting(later as never, false),
      setInterval: starting(again as never, true),
      clearTimeout: stopping(notLater as never),
      clearInterval: stopping(notAgain as never),
    });
    this.put(scheduler, {
      wait: (ms: number, options?: SchedulerWaitOptions) => {
        const invocation = current.getStore();
        if (!invocation) return wait(ms, options);
        return new Promise<void>((resolve, reject) => {
          const handle = setTimeout(resolve, ms);
          options?.signal?.addEventListener("abort", () => {
            clearTimeout(handle);
            reject(options.signal?.reason as Error);
          });
        });
      },
    });
    const clock = () => current.getStore()?.clock ?? this.now;
    const start = this.real.now() - this.real.performance();
    this.put(performance, { now: () => clock() - start });
    const RealDate = Date;
    this.put(globalThis, {
      Date: new Proxy(RealDate, {
        construct: (target, given: [], self) => Reflect.construct(target, given.length > 0 ? given : [clock()], self),
        get: (target, member) => (member === "now" ? clock : Reflect.get(target, member)),
      }),
    });
  }

  uninstall(): void {
    for (const back of this.putBack.splice(0).toReversed()) back();
    this.timers.clear();
  }

  /** Puts members in the place of others until `uninstall`. */
  put(owner: object, members: Readonly<Record<string, unknown>>): void {
    for (const [name, value] of Object.entries(members)) {
      const before = Object.getOwnPropertyDescriptor(owner, name);
      Object.defineProperty(owner, name, { value, configurable: true, writable: true, enumerable: true });
      this.putBack.push(() => {
        if (before) Object.defineProperty(owner, name, before);
        else Reflect.deleteProperty(owner, name);
      });
    }
  }
}
