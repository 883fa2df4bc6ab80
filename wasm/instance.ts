/**
 * One instance of a native module, and the two ways to call C in it.
 *
 * `run` calls it as any function: C returns before anything else happens. `runPausing` calls one function that may
 * pause in the midst of its work, on a stack of its own that the engine sets aside (WebAssembly's JavaScript promise
 * integration). C says `breathe(work)` (`breathe.h`) in its loops: that adds work up, and only where a stretch of work
 * is full does C leave its stack until others had their turn. Meanwhile its frames, and those of the shadow stack in
 * linear memory, stay where they are, so nobody else may enter the instance: a job with such calls has it alone
 * (`acquireAlone`).
 *
 * A job that is aborted in a pause does not come back: the reason is thrown out of C, through frames that free nothing,
 * and the instance is given up. A throw by `fail` and a trap are what they are in `run`.
 *
 * Modules that were made measurable (`fuel/instrument.ts`) count what they do, and ask for fuel after every slice of
 * work. Out of fuel, the call ends by a throw and the instance is given up. In a call that may pause the slices are
 * also what work is declared by, where C does not declare it itself.
 */
import { allocated, NativeError, OutOfFuel } from "./failures.ts";
import { type Fuel, fuelForAnyCall } from "./fuel/fuel.ts";
import { FuelMeter } from "./fuel/meter.ts";
import { type Arguments, type Pace, promising, Suspending } from "./pausing.ts";
import { systemOf } from "./system.ts";

/** What every module of ours exports besides its own functions. */
export interface NativeExports {
  readonly memory: WebAssembly.Memory;
  /** Modules that are not ours may lack it; theirs must not go on after a throw. */
  readonly __stack_pointer?: WebAssembly.Global;
  /** The counter of modules that count what they do. */
  readonly fuel?: WebAssembly.Global;
  malloc(bytes: number): number;
  free(pointer: number): void;
}

export interface NativeOptions {
  readonly name: string;
  /**
   * Bytes of memory the idle instance may keep; a larger one is replaced before the next job, unless that declares it.
   */
  readonly keepBytes: number;
  /** Nearly all jobs come for it, whatever their formats. */
  readonly isCommon?: boolean;
  /** Further `env` imports; receives the instance that calls. */
  readonly imports?: (instance: NativeInstance<NativeExports>) => Record<string, (...args: number[]) => number | void>;
  /** Told that all instances are given up, and what is kept of them between calls is nobody's. */
  readonly forget?: () => void;
  /** Imports of a module that is not ours, by the name of their module. */
  readonly foreign?: (instance: NativeInstance<NativeExports>) => WebAssembly.Imports;
}

/** The functions among the exports, by their names. */
export type FunctionName<Exports> = {
  [Name in keyof Exports]: Exports[Name] extends (...args: never[]) => unknown ? Name : never;
}[keyof Exports];

export type ArgumentsOf<Exports, Name extends keyof Exports> = Exports[Name] extends (...args: infer List) => unknown
  ? List
  : never;

export type ResultOf<Exports, Name extends keyof Exports> = Exports[Name] extends (...args: never[]) => infer Result
  ? Result
  : never;

export class NativeInstance<Exports extends NativeExports> {
  readonly exports: Exports;
  /** Of linear memory, to see whether it was collected once the instance is given up. */
  readonly weakMemory: WeakRef<WebAssembly.Memory>;
  /** The size of linear memory before anything was done in it. */
  readonly initialBytes: number;
  /** Jobs that still hold handles in this instance. */
  open = 0;
  broken = false;
  /** What the job that has the instance alone may take in all. */
  jobFuel: Fuel | undefined;
  /** When the instance was last asked for, as a count of uses of all. */
  lastUse = 0;
  /** Bytes of linear memory that somebody has been charged for. */
  chargedBytes = 0;
  /** The pace of the call that is under way and may pause. */
  private pace: Pace | undefined;
  /** What C was told to wait for, until it does. */
  private rest: Promise<void> | undefined;
  /** Calls that have not come back. */
  private depth = 0;
  private isLeftOpen = false;
  /** What the call that is under way may take. */
  private readonly meter = new FuelMeter(() => this.exports?.fuel);
  /** JavaScript called by the module has called it in turn: a pause cannot leave such a stack. */
  private isNested = false;

  constructor(module: WebAssembly.Module, options: NativeOptions) {
    const self = this as unknown as NativeInstance<NativeExports>;
    const instance = new WebAssembly.Instance(module, {
      env: {
        fail: (pointer: number): never => {
          throw new NativeError(this.text(pointer));
        },
        breathe: (work: number) => this.breathe(work),
        pause: Suspending ? new Suspending(() => this.pause()) : () => undefined,
        refuel: () => this.refuel(),
        ...options.imports?.(self),
      },
      wasi_snapshot_preview1: systemOf(module),
      ...options.foreign?.(self),
    });
    this.exports = instance.exports as unknown as Exports;
    this.weakMemory = new WeakRef(this.exports.memory);
    this.run(() => (instance.exports["_initialize"] as (() => void) | undefined)?.());
    this.initialBytes = this.exports.memory.buffer.byteLength;
  }

  /** A call into the instance stands in the midst of its work, and nobody may enter. */
  isPaused(): boolean {
    return this.pace !== undefined;
  }

  /**
   * Runs calls into the instance. A throw out of C restores the stack pointer; a trap marks the instance as broken, so
   * that the next job gets a new one.
   * @throws OutOfFuel when it takes more than `fuel` has
   */
  run<T>(work: (exports: Exports) => T, fuel?: Fuel): T {
    if (this.pace || this.isLeftOpen) throw new Error("entered in the midst of another call");
    const stack = this.stack();
    this.depth++;
    const isOuter = this.grant(fuel);
    try {
      return work(this.exports);
    } catch (error) {
      throw this.left(stack, error);
    } finally {
      this.depth--;
      if (isOuter) this.meter.close();
    }
  }

  /** Calls the module from a function that it called, at once and out of the same fuel. */
  nested<T>(work: (exports: Exports) => T): T {
    const before = this.isNested;
    this.isNested = true;
    try {
      return work(this.exports);
    } finally {
      this.isNested = before;
    }
  }

  /** To be said between calls: one that has not come back never will, and nobody may enter any more. */
  leaveOpen(): void {
    if (this.depth === 0) return;
    this.isLeftOpen = true;
    this.broken = true;
  }

  /**
   * Calls one function, which may pause; only in an instance that the job has alone.
   * @throws the reason of the caller's signal when nobody waits for the work any more; the instance is broken then
   */
  async runPausing<Name extends FunctionName<Exports> & string>(
    pace: Pace,
    name: Name,
    ...args: ArgumentsOf<Exports, Name>
  ): Promise<ResultOf<Exports, Name>> {
    const called = this.exports[name] as (...list: Arguments) => unknown;
    const list = args as Arguments;
    if (!promising) return this.run(() => called(...list), pace.fuel) as ResultOf<Exports, Name>;
    if (this.pace) throw new Error("entered in the midst of another call");
    const stack = this.stack();
    this.pace = pace;
    this.grant(pace.fuel);
    try {
      return (await promising(called)(...list)) as ResultOf<Exports, Name>;
    } catch (error) {
      throw this.left(stack, error);
    } finally {
      this.meter.close();
      this.pace = undefined;
      this.rest = undefined;
    }
  }

  /**
   * Memory in the instance, until `free` is called with its address.
   * @throws OutOfMemory when there is none
   */
  allocate(bytes: number): number {
    return allocated(this.run((exports) => exports.malloc(bytes)));
  }

  /**
   * A view of linear memory; valid until the next call that may allocate.
   * @throws OutOfMemory when it would lie at address 0, which is what C returns instead of memory that it has not got
   */
  bytes(pointer: number, length: number): Uint8Array {
    return new Uint8Array(this.exports.memory.buffer, length > 0 ? allocated(pointer) : pointer, length);
  }

  /** The zero-terminated ASCII text at `pointer`, at most 200 characters. */
  text(pointer: number): string {
    const bytes = new Uint8Array(this.exports.memory.buffer);
    let text = "";
    for (let at = pointer; text.length < 200; at++) {
      const code = bytes[at];
      if (!code) break;
      text += String.fromCharCode(code);
    }
    return text;
  }

  private stack(): number | undefined {
    return this.exports.__stack_pointer?.value as number | undefined;
  }

  /** Puts the instance in order after C was left by a throw. Returns what is to be thrown on. */
  private left(stack: number | undefined, error: unknown): unknown {
    const stackPointer = this.exports.__stack_pointer;
    if (stackPointer) stackPointer.value = stack;
    else this.broken = true;
    if (!(error instanceof WebAssembly.RuntimeError)) return error;
    this.broken = true;
    return new NativeError("the native code trapped", { cause: error });
  }

  /** C did some work. Returns 1 where it has to pause. */
  private breathe(work: number): number {
    if (this.pace?.nanoseconds === undefined) return 0;
    return this.announce((work * this.pace.nanoseconds) / 1e6);
  }

  private announce(ms: number): number {
    this.rest = this.pace?.timeSlice.spend(ms);
    return this.rest ? 1 : 0;
  }

  /** Says what the call that begins may take. Returns whether no other call has said so. */
  private grant(fuel: Fuel | undefined): boolean {
    return this.meter.open(fuel ?? this.jobFuel ?? fuelForAnyCall());
  }

  /** The module has used up its slice. Returns 1 where it has to pause. */
  private refuel(): number {
    const ms = this.meter.refill();
    if (ms === undefined) return 0;
    if (ms === "empty") {
      this.broken = true;
      throw new OutOfFuel("the native code takes too long");
    }
    return this.pace && this.pace.nanoseconds === undefined && !this.isNested ? this.announce(ms) : 0;
  }

  private async pause(): Promise<void> {
    try {
      await this.rest;
      if (this.open === 0) throw new NativeError("the job was closed");
    } catch (error) {
      this.broken = true;
      throw error;
    }
  }
}
