/** What jobs hold in native modules, and the duty to give it back once. */
import type { Fuel } from "./fuel/fuel.ts";
import type { ArgumentsOf, FunctionName, ResultOf } from "./instance.ts";
import {
  allocated,
  type HeapExports,
  NativeError,
  type NativeExports,
  type NativeInstance,
  type NativeModule,
} from "./load.ts";
import type { Pace } from "./pausing.ts";

/** Something opened in the instance that the jobs of a module share. */
export class Handle<Exports extends NativeExports> {
  readonly pointer: number;
  private readonly module: NativeModule<Exports>;
  private readonly instance: NativeInstance<Exports>;
  private readonly free: (exports: Exports, pointer: number) => void;
  private closed = false;

  /** @throws OutOfMemory when `open` returns 0 */
  constructor(
    module: NativeModule<Exports>,
    open: (exports: Exports, instance: NativeInstance<Exports>) => number,
    free: (exports: Exports, pointer: number) => void,
  ) {
    this.module = module;
    this.free = free;
    this.instance = module.acquire();
    try {
      this.pointer = allocated(this.instance.run((exports) => open(exports, this.instance)));
    } catch (error) {
      module.release(this.instance);
      throw error;
    }
  }

  call<T>(work: (exports: Exports, pointer: number) => T): T {
    if (this.closed) throw new Error("used after it was closed");
    return this.instance.run((exports) => work(exports, this.pointer));
  }

  /** A view of linear memory; any later opening in this module may invalidate it. */
  bytes(address: number, length: number): Uint8Array {
    return this.instance.bytes(address, length);
  }

  /** May be called twice. */
  close(): void {
    if (this.closed) return;
    this.closed = true;
    try {
      if (!this.instance.broken) this.instance.run((exports) => this.free(exports, this.pointer));
    } finally {
      this.module.release(this.instance);
    }
  }
}

/** What `heap_limit` takes for a heap that may grow as far as its module allows. */
export const NO_LIMIT = 0xffff_ffff;

/** An instance that one job has alone, because calls of it pause. Allocations fail beyond what the job declared. */
export class LoneJob<Exports extends HeapExports> {
  private readonly module: NativeModule<Exports>;
  private readonly instance: NativeInstance<Exports>;
  private closed = false;

  /** @param fuel for all calls together */
  constructor(module: NativeModule<Exports>, peakBytes: number, fuel?: Fuel) {
    this.module = module;
    this.instance = module.acquireAlone(fuel, peakBytes);
    this.instance.run((exports) => exports.heap_limit(Math.min(NO_LIMIT, exports.heap_used() + peakBytes)));
  }

  /** @throws NativeError when C refuses its input or memory does not suffice */
  call<T>(work: (exports: Exports) => T): T {
    if (this.closed) throw new NativeError("used after it was closed");
    return this.instance.run(work);
  }

  /** Calls a function that may pause; views of memory are void afterward. */
  callPausing<Name extends FunctionName<Exports> & string>(
    pace: Pace,
    name: Name,
    ...args: ArgumentsOf<Exports, Name>
  ): Promise<ResultOf<Exports, Name>> {
    if (this.closed) throw new NativeError("used after it was closed");
    return this.instance.runPausing(pace, name, ...args);
  }

  /** A view of linear memory; valid until the next call. */
  bytes(address: number, length: number): Uint8Array {
    return this.instance.bytes(address, length);
  }

  /** Nothing may be called any more: the job is over, or a call did not come back. */
  isGone(): boolean {
    return this.closed || this.instance.broken || this.instance.isPaused();
  }

  /** C was left in an unknown state: the instance is given up with all that it holds. */
  giveUp(): void {
    this.instance.broken = true;
  }

  /** The file was refused, by a library too large to trust it with what earlier files left: nobody gets the instance. */
  refuse(error: unknown): never {
    if (error instanceof NativeError) this.giveUp();
    throw error;
  }

  /**
   * Gives the instance back once `free` has freed what the job holds in it. May be called twice and at any time; in the
   * midst of a pause the instance is given up.
   */
  close(free: (exports: Exports) => void = () => undefined): void {
    if (this.closed) return;
    const isGone = this.isGone();
    this.closed = true;
    try {
      if (isGone) return;
      this.instance.run((exports) => {
        free(exports);
        exports.heap_limit(NO_LIMIT);
      });
    } finally {
      this.module.release(this.instance);
    }
  }
}
