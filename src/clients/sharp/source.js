/** Originals of chains. */
import { Buffer } from "node:buffer";

/** @import { Input } from "./sharp.js" */

/** Bytes that come into a chain: given, in a file, or piped. */
export class Source {
  /** @type {Uint8Array[]} */
  #pieces = [];
  /** @type {Promise<Uint8Array<ArrayBuffer>>} */
  bytes;
  /** Ends what is piped. */
  end = () => {};
  isPiped = false;

  /** @param {Input} input */
  constructor(input) {
    if (typeof input === "string") this.bytes = bytesIn(input);
    else if (input instanceof ArrayBuffer) this.bytes = Promise.resolve(new Uint8Array(input));
    else if (ArrayBuffer.isView(input)) {
      this.bytes = Promise.resolve(new Uint8Array(input.buffer, input.byteOffset, input.byteLength).slice());
    } else {
      this.isPiped = true;
      this.bytes = new Promise((resolve) => {
        this.end = () => resolve(new Uint8Array(Buffer.concat(this.#pieces)));
      });
    }
    // Whoever asks for the bytes is told.
    this.bytes.catch(() => undefined);
  }

  /** @param {Uint8Array} piece */
  take(piece) {
    this.#pieces.push(piece);
  }
}

/** @param {string} path @returns {Promise<Uint8Array<ArrayBuffer>>} */
async function bytesIn(path) {
  const { readFile } = await import("node:fs/promises");
  try {
    return new Uint8Array(await readFile(path));
  } catch (cause) {
    throw new Error(`Input file is missing: ${path}`, { cause });
  }
}
