/** Reading a stream by what stands in it: up to a pattern, or not at all. */
import { joined } from "../joined.ts";

/** Takes bytes, chunk by chunk; a chunk is valid until what is returned has resolved. */
export type Sink = (chunk: Uint8Array) => Promise<void> | void;

/** The bytes of a stream that were read and not yet consumed: mostly the present chunk itself, not a copy. */
export interface Window {
  /** Consumes `bytes` if they come next. */
  take(bytes: Uint8Array): Promise<boolean>;
  /**
   * Consumes everything before `pattern`, which goes to `sink`, and the pattern.
   * @returns false when the stream ended first
   */
  passTo(pattern: Uint8Array, sink: Sink): Promise<boolean>;
  /** Consumes the rest, which goes to `sink`. */
  drain(sink: Sink): Promise<void>;
}

/** @param pull the next chunk, which is valid until the next call; undefined at the end */
export function windowOn(pull: () => Promise<Uint8Array | undefined>): Window {
  let view: Uint8Array = new Uint8Array(0);
  const more = async (): Promise<boolean> => {
    // The beginning of a pattern, mostly nothing: the next chunk may take its place.
    const left = view.slice();
    const chunk = await pull();
    view = left;
    if (chunk === undefined) return false;
    view = left.length === 0 ? chunk : joined([left, chunk]);
    return true;
  };
  return {
    async take(bytes) {
      while (view.length < bytes.length && startsWith(bytes, view)) if (!(await more())) return false;
      if (!startsWith(view, bytes)) return false;
      view = view.subarray(bytes.length);
      return true;
    },
    async passTo(pattern, sink) {
      for (;;) {
        const at = find(view, pattern);
        const whole = at + pattern.length <= view.length;
        if (at > 0) await sink(view.subarray(0, at));
        view = view.subarray(whole ? at + pattern.length : at);
        if (whole) return true;
        if (!(await more())) return false;
      }
    },
    async drain(sink) {
      do {
        await sink(view);
        view = view.subarray(view.length);
      } while (await more());
    },
  };
}

/**
 * Where `pattern` begins in `bytes`, or where a beginning of it runs to their end, or their end.
 *
 * The first byte of the pattern must not occur in it again. Then a failed comparison has passed no possible start, and
 * the search is linear whatever was sent.
 */
function find(bytes: Uint8Array, pattern: Uint8Array): number {
  const first = pattern[0] ?? 0;
  for (let at = bytes.indexOf(first); at >= 0;) {
    let matched = 1;
    while (matched < pattern.length && bytes[at + matched] === pattern[matched]) matched++;
    if (matched === pattern.length || at + matched === bytes.length) return at;
    const next = at + matched;
    at = bytes[next] === first ? next : bytes.indexOf(first, next);
  }
  return bytes.length;
}

/** Whether `bytes` begin with `start`. */
function startsWith(bytes: Uint8Array, start: Uint8Array): boolean {
  return bytes.length >= start.length && start.every((byte, index) => bytes[index] === byte);
}
