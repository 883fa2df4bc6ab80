/** Rows that are gone past must not change those that follow, however they are gone past. */
import { expect, it } from "vitest";

import { openDecoder } from "../../wasm/jpeg/jpeg.ts";
import { jpegFile } from "../support/jpeg-files.ts";
import { atOnce } from "../support/pieces.ts";

/** The row after so many were skipped at a time, and the one behind it. */
function rowsAfter(bytes: Uint8Array, skips: readonly number[]): Uint8Array {
  const decoder = atOnce(openDecoder(bytes));
  try {
    for (const count of skips) decoder.skip(count);
    return decoder.read(1)?.slice() ?? new Uint8Array(0);
  } finally {
    decoder.close();
  }
}

it.each(["s420", "s422", "s444", "gray", "twelve-bits"] as const)(
  "skips in several pieces to where one leads: %s",
  (name) => {
    const bytes = jpegFile(name);
    for (const [first, second] of [
      [7, 9],
      [10, 6],
      [16, 11],
      [19, 21],
      [25, 20],
    ] as const) {
      expect(rowsAfter(bytes, [first, second])).toEqual(rowsAfter(bytes, [first + second]));
    }
  },
);
