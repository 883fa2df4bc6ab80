/**
 * The native module of this folder, and what one job has of it: an instance, bytes that it reads, or bytes that it
 * writes.
 */
import { LoneJob } from "../handle.ts";
import type { ArgumentsOf, ResultOf } from "../instance.ts";
import { allocated, heapOf, native } from "../load.ts";
import { Numbered } from "../numbered.ts";
import type { Turns } from "../pausing.ts";
import type { Jpeg2000Exports } from "./exports.ts";
import module from "./jpeg2000.wasm";

/** Linear memory that the idle instance may keep: what pictures up to 2 megapixels need, and rows of larger ones. */
const KEEP_BYTES = 48 << 20;
const sources = new Numbered<Uint8Array>();
const sinks = new Numbered<Uint8Array[]>();

const jpeg2000 = native<Jpeg2000Exports>(module, {
  name: "jpeg2000",
  keepBytes: KEEP_BYTES,
  imports: (instance) => ({
    pull(source = 0, from = 0, to = 0, length = 0) {
      const piece = sources.get(instance.exports, source)?.subarray(from, from + length);
      if (!piece) return 0;
      instance.bytes(to, piece.length).set(piece);
      return piece.length;
    },
    write(sink = 0, from = 0, length = 0) {
      sinks.get(instance.exports, sink)?.push(instance.bytes(from, length).slice());
    },
  }),
});

/** Functions that pause; they declare their work in nanoseconds. */
type Pausing = "reader_area" | "writer_rows";

/** The arguments of a function after its first, which is what was opened. */
type Rest<Name extends Pausing> = ArgumentsOf<Jpeg2000Exports, Name> extends [number, ...infer Others] ? Others : never;

/** Something opened in an instance of its own. */
class Job {
  private readonly job: LoneJob<Jpeg2000Exports>;
  private readonly pointer: number = 0;
  private readonly free: (exports: Jpeg2000Exports, pointer: number) => void;

  /**
   * @param free what was opened; nothing was where the pointer is 0
   * @throws NativeError when memory does not suffice
   */
  constructor(peakBytes: number, open: (exports: Jpeg2000Exports) => number, free: Job["free"]) {
    this.free = free;
    this.job = new LoneJob(jpeg2000, peakBytes);
    try {
      this.pointer = allocated(this.call(open));
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** @throws NativeError when OpenJPEG refuses its input or memory does not suffice */
  call<T>(work: (exports: Jpeg2000Exports, pointer: number) => T): T {
    try {
      return this.job.call((exports) => work(exports, this.pointer));
    } catch (error) {
      return this.job.refuse(error);
    }
  }

  /** Calls work that pauses; views of memory are void afterward. */
  callPausing<Name extends Pausing>(
    timeSlice: Turns,
    name: Name,
    ...rest: Rest<Name>
  ): Promise<ResultOf<Jpeg2000Exports, Name>> {
    const args = [this.pointer, ...rest] as unknown as ArgumentsOf<Jpeg2000Exports, Name>;
    return this.job.callPausing({ timeSlice, nanoseconds: 1 }, name, ...args).catch((error) => this.job.refuse(error));
  }

  /** A view of linear memory, valid until the next call. */
  bytes(address: number, length: number): Uint8Array {
    return this.job.bytes(address, length);
  }

  /** May be called twice. */
  close(): void {
    this.job.close((exports) => this.free(exports, this.pointer));
  }
}

/** A job that reads `bytes`, as often as it will. */
export class ReadingJob extends Job {
  constructor(bytes: Uint8Array, peakBytes: number, open: (exports: Jpeg2000Exports, source: number) => number) {
    let source = 0;
    const openSource = (exports: Jpeg2000Exports) => {
      source = sources.add(exports, bytes);
      return open(exports, source);
    };
    super(peakBytes, openSource, (exports, pointer) => {
      sources.take(exports, source);
      if (pointer !== 0) exports.reader_close(pointer);
    });
  }
}

/** A job that writes pieces of a file. */
export class WritingJob extends Job {
  readonly pieces: readonly Uint8Array[];

  constructor(peakBytes: number, open: (exports: Jpeg2000Exports, sink: number) => number) {
    const pieces: Uint8Array[] = [];
    let sink = 0;
    const openSink = (exports: Jpeg2000Exports) => {
      sink = sinks.add(exports, pieces);
      return open(exports, sink);
    };
    super(peakBytes, openSink, (exports, pointer) => {
      sinks.take(exports, sink);
      if (pointer !== 0) exports.writer_close(pointer);
    });
    this.pieces = pieces;
  }
}

/** Bytes that jobs hold now, and the most they held since `mark`, for tests and benchmarks. */
export function jpeg2000Heap(mark = false): ReturnType<typeof heapOf> {
  return heapOf(jpeg2000, mark);
}
