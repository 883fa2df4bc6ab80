/** The native module of this folder and the duty to free what a job opened in it. */
import { Handle as ModuleHandle } from "../handle.ts";
import { native } from "../load.ts";
import type { GifExports } from "./exports.ts";
import module from "./gif.wasm";

type Pointer = number;

/** Linear memory that the idle instance may keep. */
const KEEP_BYTES = 16 << 20;

/** Where the call into C that is under way writes; nothing is, between calls. */
let sink: Uint8Array[] = [];

const gif = native<GifExports>(module, {
  name: "gif",
  keepBytes: KEEP_BYTES,
  forget: () => (sink = []),
  imports: (instance) => ({ write: (from = 0, length = 0) => void sink.push(instance.bytes(from, length).slice()) }),
});

/** Runs `work`, which pauses nowhere, and adds everything that C writes meanwhile to `pieces`. */
export function collect<Result>(pieces: Uint8Array[], work: () => Result): Result {
  sink = pieces;
  try {
    return work();
  } finally {
    sink = [];
  }
}

/** Something opened in this module, and the duty to close it once. */
export class Handle extends ModuleHandle<GifExports> {
  /** @throws NativeError when memory ran out */
  constructor(open: (exports: GifExports) => Pointer, free: (exports: GifExports, pointer: Pointer) => void) {
    super(gif, open, free);
  }
}
