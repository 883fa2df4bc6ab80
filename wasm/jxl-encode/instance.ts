/** The native module of this folder, where what it writes goes, and the Brotli that it borrows. */
import type { Fuel } from "../fuel/fuel.ts";
import { LoneJob } from "../handle.ts";
import { heapOf, native } from "../load.ts";
import { zlib } from "../zlib.ts";
import type { JxlEncodeExports } from "./exports.ts";
import module from "./jxl-encode.wasm";

export type Pointer = number;

/** Linear memory that the idle instance may keep: what a photograph of 12 megapixels takes. */
const KEEP_BYTES = 48 << 20;

/** A level that holds 4 MB at most, and takes 20 ms for all that it is given at once. */
const BROTLI = { level: 5, windowBits: 18 } as const;

/** What the job of an instance writes. */
const sinks = new WeakMap<object, Uint8Array[]>();

const jxl = native<JxlEncodeExports>(module, {
  name: "jxl-encode",
  keepBytes: KEEP_BYTES,
  imports: (instance) => ({
    write: (from = 0, length = 0) => void sinks.get(instance.exports)?.push(instance.bytes(from, length).slice()),
    brotli(from = 0, length = 0, to = 0, capacity = 0) {
      const { brotliCompressSync, constants } = zlib();
      const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_LGWIN } = constants;
      const params = { [BROTLI_PARAM_QUALITY]: BROTLI.level, [BROTLI_PARAM_LGWIN]: BROTLI.windowBits };
      const packed = brotliCompressSync(instance.bytes(from, length), { params });
      if (packed.length > capacity) return 0;
      instance.bytes(to, packed.length).set(packed);
      return packed.length;
    },
  }),
});

/** An instance that one job has alone, and that writes to `pieces`. */
export function openJob(peakBytes: number, fuel: Fuel, pieces: Uint8Array[]): LoneJob<JxlEncodeExports> {
  const job = new LoneJob(jxl, peakBytes, fuel);
  job.call((exports) => sinks.set(exports, pieces));
  return job;
}

/** Bytes allocated in the module now, and the most since the last call with `mark`. For tests and benchmarks. */
export function jxlEncodeHeap(mark = false): { readonly used: number; readonly peak: number } {
  return heapOf(jxl, mark);
}
