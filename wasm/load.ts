/**
 * One instance per native module, reused for every job of the isolate.
 *
 * Discarded WebAssembly instances are not collected in time (the engine feels no pressure from their memory), so
 * nothing is instantiated per request. An instance is replaced only when it trapped, when a C library was left in an
 * unknown state, or when it grew past what it may keep while idle; replacements are counted.
 */

/** What every module of ours exports besides its own functions. */
export interface NativeExports {
  readonly memory: WebAssembly.Memory;
  /** Modules that are not ours may lack it; theirs must not go on after a throw. */
  readonly __stack_pointer?: WebAssembly.Global;
  malloc(bytes: number): number;
  free(pointer: number): void;
}

/** A C library refused its input or ran out of memory; thrown through the wasm frames by the `fail` import. */
export class NativeError extends Error {
  override name = "NativeError";
}

export interface NativeOptions {
  readonly name: string;
  /** Bytes of memory the idle instance may keep; a larger one is replaced before the next job. */
  readonly keepBytes: number;
  /** Further `env` imports; receives the instance that calls. */
  readonly imports?: (instance: NativeInstance<NativeExports>) => Record<string, (...args: number[]) => number | void>;
  /** Imports of a module that is not ours, by the name of their module. */
  readonly foreign?: (instance: NativeInstance<NativeExports>) => WebAssembly.Imports;
}

/** Totals for logs, tests and benchmarks. */
export interface NativeStatistics {
  readonly name: string;
  readonly memoryBytes: number;
  readonly replaced: number;
}

const modules: NativeModule<NativeExports>[] = [];

/** Memory and replacement counts of every native module that this isolate has touched. */
export function nativeStatistics(): NativeStatistics[] {
  return modules.map((module) => module.statistics());
}

/** Bytes of linear memory held by all native modules of this isolate. */
export function nativeMemoryBytes(): number {
  return modules.reduce((sum, module) => sum + module.statistics().memoryBytes, 0);
}

/**
 * Drops idle instances, the longest unused first, until those that remain hold at most `bytes`. Not for every job: what
 * was dropped is collected late, and the next job in that module starts small again.
 */
export function trimNative(bytes: number): void {
  const idle = modules.filter((module) => module.isIdle()).toSorted((a, b) => a.lastUse - b.lastUse);
  let held = idle.reduce((sum, module) => sum + module.statistics().memoryBytes, 0);
  for (const module of idle) {
    if (held <= bytes) return;
    held -= module.statistics().memoryBytes;
    module.drop();
  }
}

/** Counts uses of native modules, to tell which was used last. */
let uses = 0;

/** Declares a native module; it is instantiated on first use. */
export function native<Exports extends NativeExports>(
  module: WebAssembly.Module,
  options: NativeOptions,
): NativeModule<Exports> {
  const created = new NativeModule<Exports>(module, options);
  modules.push(created as unknown as NativeModule<NativeExports>);
  return created;
}

/** Answers for what libc asks of the system on behalf of file functions that nobody calls: there are no files. */
function systemOf(module: WebAssembly.Module): Record<string, () => number> {
  const notSupported = () => 52; // ENOSYS
  const answers: Record<string, () => number> = {
    fd_prestat_get: () => 8, // EBADF: no folder was opened beforehand
    proc_exit: () => {
      throw new NativeError("the native code ended itself");
    },
  };
  const names = WebAssembly.Module.imports(module).filter((entry) => entry.module === "wasi_snapshot_preview1");
  return Object.fromEntries(names.map(({ name }) => [name, answers[name] ?? notSupported]));
}

export class NativeInstance<Exports extends NativeExports> {
  readonly exports: Exports;
  /** Jobs that still hold handles in this instance. */
  open = 0;
  broken = false;

  constructor(module: WebAssembly.Module, options: NativeOptions) {
    const fail = (pointer: number): never => {
      throw new NativeError(this.text(pointer));
    };
    const instance = new WebAssembly.Instance(module, {
      env: { fail, ...options.imports?.(this as unknown as NativeInstance<NativeExports>) },
      wasi_snapshot_preview1: systemOf(module),
      ...options.foreign?.(this as unknown as NativeInstance<NativeExports>),
    });
    this.exports = instance.exports as unknown as Exports;
    (instance.exports["_initialize"] as (() => void) | undefined)?.();
  }

  /**
   * Runs calls into the instance. A throw out of C restores the stack pointer; a trap marks the instance as broken, so
   * that the next job gets a new one.
   */
  run<T>(work: (exports: Exports) => T): T {
    const stackPointer = this.exports.__stack_pointer;
    const stack = stackPointer?.value as number;
    try {
      return work(this.exports);
    } catch (error) {
      if (stackPointer) stackPointer.value = stack;
      else this.broken = true;
      if (error instanceof WebAssembly.RuntimeError) {
        this.broken = true;
        throw new NativeError("the native code trapped", { cause: error });
      }
      throw error;
    }
  }

  /** A view of linear memory; valid until the next call that may allocate. */
  bytes(pointer: number, length: number): Uint8Array {
    return new Uint8Array(this.exports.memory.buffer, pointer, length);
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
}

class NativeModule<Exports extends NativeExports> {
  /** When the module was last used, as a count of uses. */
  lastUse = 0;
  private current: NativeInstance<Exports> | undefined;
  private replaced = 0;

  private readonly module: WebAssembly.Module;
  private readonly options: NativeOptions;

  constructor(module: WebAssembly.Module, options: NativeOptions) {
    this.module = module;
    this.options = options;
  }

  /**
   * The instance to use for a job. Pair with `release`, whatever happens in between.
   * Handles belong to the instance they were made in: keep it, do not ask again.
   */
  acquire(): NativeInstance<Exports> {
    const { current } = this;
    const oversized = current?.open === 0 && current.exports.memory.buffer.byteLength > this.options.keepBytes;
    if (current && (current.broken || oversized)) this.drop();
    this.lastUse = ++uses;
    this.current ??= new NativeInstance<Exports>(this.module, this.options);
    this.current.open++;
    return this.current;
  }

  release(instance: NativeInstance<Exports>): void {
    instance.open--;
  }

  /** There is an instance, and no job holds anything in it. */
  isIdle(): boolean {
    return this.current?.open === 0;
  }

  /** Gives the instance up; the next job gets a new one. */
  drop(): void {
    this.replaced++;
    this.current = undefined;
  }

  statistics(): NativeStatistics {
    const memoryBytes = this.current?.exports.memory.buffer.byteLength ?? 0;
    return { name: this.options.name, memoryBytes, replaced: this.replaced };
  }
}

export type { NativeModule };
