/** What is left out of an original takes no memory before it is wanted. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

import { expect, it } from "vitest";

import { ofPieces } from "../../../src/image/containers/stripped.ts";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

function heldBytes(): number {
  collect();
  return process.memoryUsage().heapUsed;
}

it("holds nothing of a file in a million pieces, which come together when they are wanted", () => {
  const original = new Uint8Array(8_000_000).map((_, at) => at % 8);
  const before = heldBytes();
  const stripped = ofPieces(original, (keep) => {
    for (let at = 0; at < original.length; at += 8) keep(original.subarray(at, at + 4));
    return true;
  });
  expect(heldBytes() - before).toBeLessThan(2_000_000);
  expect([stripped?.length, stripped?.copiedBytes]).toEqual([4_000_000, 4_000_000]);
  const file = stripped?.file();
  expect(file).toHaveLength(4_000_000);
  expect(file?.every((byte, at) => byte === at % 4)).toBe(true);
});

it("is a view of the file where the pieces stand beside each other", () => {
  const original = new Uint8Array(100).subarray(10);
  const stripped = ofPieces(original, (keep) => {
    keep(original.subarray(5, 20));
    keep(original.subarray(20, 30));
    return true;
  });
  const file = stripped?.file();
  expect([file?.byteOffset, file?.length, stripped?.copiedBytes]).toEqual([15, 25, 0]);
  expect(file?.buffer === original.buffer).toBe(true);
});

it("is none where the file cannot be told apart", () => {
  const original = new Uint8Array(100);
  const stripped = ofPieces(original, (keep) => {
    keep(original.subarray(5, 20));
    return false;
  });
  expect(stripped).toBeNull();
});
