/** Calls into native modules that make way for others in the midst of their work. */
import type { Fuel } from "./fuel/fuel.ts";

/** Turns of the thread, as work asks for them. */
export interface Turns {
  /**
   * Declares work of so many milliseconds. Where others must have their turn the promise that comes back resolves after
   * them; it is rejected when nobody waits for the work any more.
   */
  spend(ms: number): Promise<void> | undefined;
}

/** What a call that pauses makes way by. */
export interface Pace {
  readonly timeSlice: Turns;
  /** What one unit of the work that C declares takes; none where the fuel that is used says what work there was. */
  readonly nanoseconds?: number;
  /** What the call may take. */
  readonly fuel?: Fuel;
}

export type Arguments = readonly number[];

/** What runs on stacks that can be left, of which TypeScript's library does not know yet. */
interface StackSwitching {
  readonly Suspending: new (work: () => Promise<void>) => WebAssembly.ImportValue;
  readonly promising: (called: unknown) => (...args: Arguments) => Promise<unknown>;
}

/** Absent where the engine has none: calls that would pause are then made at once. */
export const { Suspending, promising } = WebAssembly as Partial<StackSwitching>;
