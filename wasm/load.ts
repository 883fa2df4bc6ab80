/**
 * Instances of native modules, reused for every job of the isolate.
 *
 * Discarded WebAssembly instances are not collected in time (the engine feels no pressure from their memory), so
 * nothing is instantiated per request. An instance is replaced only when it trapped, when a C library was left in an
 * unknown state, or when it grew past what it may keep while idle; replacements are counted, and so is what was replaced
 * and is not collected yet.
 *
 * Jobs whose calls return before anything else happens share one instance of their module. A job with calls that pause
 * (`instance.ts`) has one alone, and gives it back for the next.
 */
import { countDropped } from "./dropped.ts";
import { allocated, NativeError, OutOfFuel, OutOfMemory } from "./failures.ts";
import type { Fuel } from "./fuel/fuel.ts";
import { type NativeExports, NativeInstance, type NativeOptions } from "./instance.ts";

/** Totals for logs, tests and benchmarks. */
export interface NativeStatistics {
  readonly name: string;
  readonly memoryBytes: number;
  /** What of it waits for jobs. */
  readonly idleBytes: number;
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

/** A moment, as instances remember when they were asked for last. */
export function nativeMoment(): number {
  return uses;
}

/**
 * Bytes of the instances that jobs use, or have used since a moment: a job that goes from one module to another and back
 * leaves an instance idle and comes for it again. They may be more than it needs, for memory never shrinks.
 */
export function nativeBytesSince(moment: number): number {
  const instances = modules.flatMap((module) => module.instances());
  return memoryOfAll(instances.filter(({ open, lastUse }) => open > 0 || lastUse > moment));
}

/**
 * Bytes by which linear memories have grown since this was asked for last, new instances with all that they have: what
 * the work that has had the thread since then has taken.
 */
export function nativeGrowth(): number {
  let grown = 0;
  for (const instance of modules.flatMap((module) => module.instances())) {
    const bytes = memoryOf(instance);
    grown += bytes - instance.chargedBytes;
    instance.chargedBytes = bytes;
  }
  return grown;
}

/**
 * Drops idle instances, the longest unused first, until those that remain hold at most `bytes`. Not for every job: what
 * was dropped is collected late, and the next job in that module starts small again.
 * @param moment what was used since then stays, and does not count; absent: everything that is idle counts
 * @param withCommon what may remain together with modules that nearly all jobs come for: they go after all others, for
 *   the next job would make them anew beside what was dropped
 */
export function trimNative(bytes: number, moment = Infinity, withCommon = bytes): void {
  const idle = modules
    .flatMap((module) => module.idleInstances().map((instance) => ({ module, instance })))
    .filter(({ instance }) => instance.lastUse <= moment)
    .toSorted((a, b) => a.instance.lastUse - b.instance.lastUse);
  const common = idle.filter(({ module }) => module.isCommon);
  const others = idle.filter(({ module }) => !module.isCommon);
  const left = dropped(others, Math.min(bytes, withCommon - heldBy(common)));
  dropped(common, withCommon - left);
}

interface Idle {
  readonly module: NativeModule<NativeExports>;
  readonly instance: NativeInstance<NativeExports>;
}

function heldBy(idle: readonly Idle[]): number {
  return memoryOfAll(idle.map(({ instance }) => instance));
}

/** Drops instances, the first ones first, until those that remain hold at most so many bytes: what they hold then. */
function dropped(idle: readonly Idle[], bytes: number): number {
  let held = heldBy(idle);
  for (const { module, instance } of idle) {
    if (held <= bytes) break;
    held -= memoryOf(instance);
    module.drop(instance);
  }
  return held;
}

/** Gives up all instances, whoever uses them: a call was ended in its midst, which nothing in an instance expects. */
export function dropNative(): void {
  for (const module of modules) module.dropAll();
}

/** Counts uses of instances, to tell which was used last. */
let uses = 0;

/** Idle instances of one module: as many as there are jobs in it at a time, but for rare crowds. */
const MAX_IDLE_INSTANCES = 2;

/** Declares a native module; it is instantiated on first use. */
export function native<Exports extends NativeExports>(
  module: WebAssembly.Module,
  options: NativeOptions,
): NativeModule<Exports> {
  const created = new NativeModule<Exports>(module, options);
  modules.push(created as unknown as NativeModule<NativeExports>);
  return created;
}

function memoryOf(instance: Pick<NativeInstance<NativeExports>, "exports">): number {
  return instance.exports.memory.buffer.byteLength;
}

function memoryOfAll(instances: readonly Pick<NativeInstance<NativeExports>, "exports">[]): number {
  return instances.reduce((sum, instance) => sum + memoryOf(instance), 0);
}

class NativeModule<Exports extends NativeExports> {
  /** What jobs share, while there are any. */
  private shared: NativeInstance<Exports> | undefined;
  private readonly lent = new Set<NativeInstance<Exports>>();
  /** Nobody holds anything in these; the one used last is the last. */
  private idle: readonly NativeInstance<Exports>[] = [];
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
    if (this.shared?.broken) {
      this.replace(this.shared);
      this.shared = undefined;
    }
    this.shared ??= this.take();
    this.shared.lastUse = ++uses;
    this.shared.open++;
    return this.shared;
  }

  /**
   * An instance that no other job gets, for calls that pause or that may be ended for taking too long. Pair with
   * `release`, whatever happens in between.
   * @param declaredBytes what the job may hold: an idle instance that grew so far is used again
   */
  acquireAlone(fuel?: Fuel, declaredBytes = 0): NativeInstance<Exports> {
    const instance = this.take(declaredBytes);
    instance.jobFuel = fuel;
    this.lent.add(instance);
    instance.lastUse = ++uses;
    instance.open++;
    return instance;
  }

  release(instance: NativeInstance<Exports>): void {
    instance.open--;
    if (instance.open > 0) return;
    // A call that stands in a pause does not end any more: its frames are all that still knows the instance.
    if (instance.isPaused()) instance.broken = true;
    const wasOurs = this.lent.delete(instance) || this.shared === instance;
    if (this.shared === instance) this.shared = undefined;
    if (!wasOurs) return;
    instance.jobFuel = undefined;
    // What a broken one still holds is nobody's.
    if (instance.broken) this.replace(instance);
    else this.idle = [...this.idle, instance];
    for (const surplus of this.idle.slice(0, -MAX_IDLE_INSTANCES)) this.drop(surplus);
  }

  get isCommon(): boolean {
    return this.options.isCommon === true;
  }

  idleInstances(): readonly NativeInstance<Exports>[] {
    return this.idle;
  }

  /** Gives an idle instance up. */
  drop(instance: NativeInstance<Exports>): void {
    this.replace(instance);
    this.idle = this.idle.filter((other) => other !== instance);
  }

  /** Gives up every instance. Jobs that use one go on with it, unless a call in it was ended in its midst. */
  dropAll(): void {
    for (const instance of this.instances()) {
      instance.leaveOpen();
      this.replace(instance);
    }
    this.shared = undefined;
    this.lent.clear();
    this.idle = [];
    this.options.forget?.();
  }

  statistics(): NativeStatistics {
    return {
      name: this.options.name,
      memoryBytes: memoryOfAll(this.instances()),
      idleBytes: memoryOfAll(this.idle),
      replaced: this.replaced,
    };
  }

  /** All that jobs use, and that wait for jobs. */
  instances(): readonly NativeInstance<Exports>[] {
    return [...this.idle, ...this.lent, ...(this.shared ? [this.shared] : [])];
  }

  private replace(instance: NativeInstance<Exports>): void {
    this.replaced++;
    countDropped(instance.exports.memory, instance.weakMemory);
  }

  /** The idle instance that was used last and is fit for another job; or else a new one. */
  private take(declaredBytes = 0): NativeInstance<Exports> {
    const most = Math.max(this.options.keepBytes, declaredBytes);
    const isUnfit = (instance: NativeInstance<Exports>) => instance.broken || memoryOf(instance) > most;
    for (const instance of this.idle.filter(isUnfit)) this.drop(instance);
    const instance = this.idle.at(-1) ?? new NativeInstance<Exports>(this.module, this.options);
    this.idle = this.idle.filter((other) => other !== instance);
    return instance;
  }
}

/** What modules export that count their allocations (`heap.c`). */
export interface HeapExports extends NativeExports {
  heap_used(): number;
  heap_peak(): number;
  heap_mark(): void;
  heap_limit(bytes: number): void;
}

/** Bytes that jobs hold in a module now, and the most they held since `mark`. For tests and benchmarks. */
export function heapOf<Exports extends HeapExports>(
  module: NativeModule<Exports>,
  mark = false,
): { readonly used: number; readonly peak: number; readonly memory: number } {
  const heap = { used: 0, peak: 0, memory: 0 };
  for (const { exports } of module.instances()) {
    heap.used += exports.heap_used();
    heap.peak += exports.heap_peak();
    heap.memory += exports.memory.buffer.byteLength;
    if (mark) exports.heap_mark();
  }
  return heap;
}

/**
 * Bytes that jobs hold in all modules together now, and about the most since this was asked for last: what each holds
 * now, and by how much one of them held more. Modules that do not count their allocations hold what their memory grew
 * by. For tests and benchmarks.
 */
export function nativeHeap(): { readonly used: number; readonly peak: number } {
  let used = 0;
  let above = 0;
  for (const instance of modules.flatMap((module) => module.instances())) {
    const exports = instance.exports as NativeExports & Partial<HeapExports>;
    const grown = instance.open > 0 ? memoryOf(instance) - instance.initialBytes : 0;
    const now = exports.heap_used?.() ?? grown;
    used += now;
    above = Math.max(above, (exports.heap_peak?.() ?? grown) - now);
    exports.heap_mark?.();
  }
  return { used, peak: used + above };
}

export { allocated, NativeError, NativeInstance, OutOfFuel, OutOfMemory };
export type { NativeExports, NativeModule, NativeOptions };
