/** The native module of this folder, and the memory that one job may take of it. */
import type { Fuel } from "../fuel/fuel.ts";
import { NO_LIMIT } from "../handle.ts";
import { allocated, native, NativeError, type NativeInstance } from "../load.ts";
import { Numbered } from "../numbered.ts";
import type { Pace } from "../pausing.ts";
import type { WebpExports } from "./exports.ts";
import module from "./webp.wasm";

export type WebpInstance = NativeInstance<WebpExports>;

/**
 * Linear memory that the idle instance may keep: what lossy pictures up to 12 megapixels and lossless ones up to 1 need.
 * Less would replace the instance after every such job, and what is replaced is collected late.
 */
const KEEP_BYTES = 52 << 20;

/** A file that is being written; its RIFF header tells how long it will be. */
interface Sink {
  file: Uint8Array;
  length: number;
}

const sinks = new Numbered<Sink>();

export const webpModule = native<WebpExports>(module, {
  name: "webp",
  keepBytes: KEEP_BYTES,
  imports: (instance) => ({
    write(id = 0, from = 0, length = 0) {
      const sink = sinks.get(instance.exports, id);
      // Nothing: the encoder starts over.
      if (sink && length === 0) Object.assign(sink, { file: new Uint8Array(0), length: 0 });
      else if (sink) append(sink, instance.bytes(from, length));
    },
  }),
});

function append(sink: Sink, piece: Uint8Array): void {
  // The first piece is, or begins with, the RIFF header, whose size leaves out its own 8 bytes.
  if (sink.length === 0) sink.file = new Uint8Array(8 + new DataView(piece.slice(4, 8).buffer).getUint32(0, true));
  sink.file.set(piece, sink.length);
  sink.length += piece.length;
}

/** Collects what an encoder writes under the returned number, until `closeSink`. */
export function openSink({ exports }: WebpInstance): number {
  return sinks.add(exports, { file: new Uint8Array(0), length: 0 });
}

/** What was written so far. */
export function fileOf({ exports }: WebpInstance, id: number): Uint8Array {
  const sink = sinks.get(exports, id);
  if (sink?.length !== sink?.file.length) throw new NativeError("the encoder wrote less than it announced");
  return sink?.file ?? new Uint8Array(0);
}

export function closeSink({ exports }: WebpInstance, id: number): void {
  sinks.take(exports, id);
}

/** An instance that one job and all that belongs to it have alone, which calls that pause ask for; until `release`. */
export function acquireAlone(): WebpInstance {
  return webpModule.acquireAlone();
}

export function release(instance: WebpInstance): void {
  webpModule.release(instance);
}

/**
 * A job in the native module. It holds an instance until it is closed, the one that all share or that of a job which it
 * belongs to, and its allocations fail when they would exceed the bytes it declared.
 */
export class Job {
  readonly instance: WebpInstance;
  private readonly peakBytes: number;
  private heldBytes = 0;
  private closed = false;
  private readonly frees: ((exports: WebpExports) => void)[] = [];
  private readonly fuel: Fuel | undefined;

  /** @param fuel of a job that reads what may be made to take long: such a one shares its instance with no other job */
  constructor(peakBytes: number, instance?: WebpInstance, fuel?: Fuel) {
    this.peakBytes = peakBytes;
    this.fuel = fuel;
    this.instance = instance ?? (fuel ? webpModule.acquireAlone() : webpModule.acquire());
    if (instance) instance.open++;
  }

  /**
   * Calls C within the declared memory.
   * @throws NativeError when the job is closed or the code trapped
   */
  call<T>(work: (exports: WebpExports) => T): T {
    if (this.closed) throw new NativeError("the job is closed");
    return this.instance.run((exports) => {
      const before = exports.heap_used();
      exports.heap_limit(this.limit(before));
      try {
        return work(exports);
      } finally {
        exports.heap_limit(NO_LIMIT);
        this.heldBytes += exports.heap_used() - before;
      }
    }, this.fuel);
  }

  /**
   * Encodes what an encoder was given, with pauses; only in an instance that is not shared.
   * @throws NativeError as `call` does
   */
  async finish(pace: Pace, encoder: number, lean: boolean): Promise<number> {
    if (this.closed) throw new NativeError("the job is closed");
    const { exports } = this.instance;
    const before = exports.heap_used();
    try {
      return await this.instance.runPausing(pace, "encoder_finish", encoder, this.limit(before), lean ? 1 : 0);
    } finally {
      if (!this.instance.broken) {
        exports.heap_limit(NO_LIMIT);
        this.heldBytes += exports.heap_used() - before;
      }
    }
  }

  /** Bytes that the heap may hold while this job is at work, given what it holds now. */
  private limit(heldByAll: number): number {
    return Math.min(NO_LIMIT, heldByAll - this.heldBytes + this.peakBytes);
  }

  /** Makes an allocation part of the job: `free` runs when the job is closed, the last one first. */
  own(pointer: number, free: (exports: WebpExports, pointer: number) => void): number {
    allocated(pointer);
    this.frees.push((exports) => free(exports, pointer));
    return pointer;
  }

  /** Frees everything. May be called twice. */
  close(): void {
    if (this.closed) return;
    this.closed = true;
    try {
      for (const free of this.frees.reverse()) {
        if (!this.instance.broken && !this.instance.isPaused()) this.instance.run(free);
      }
    } finally {
      release(this.instance);
    }
  }
}
