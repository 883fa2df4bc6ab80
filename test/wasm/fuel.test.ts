/** Modules that count their work: it ends when it is more than a job may have, and so does their memory. */
import { expect, it } from "vitest";

import { Fuel } from "../../wasm/fuel/fuel.ts";
import { native, type NativeExports, OutOfFuel } from "../../wasm/load.ts";
import webp from "../../wasm/webp/webp.wasm";

let modules = 0;

function countingModule() {
  const imports = () => ({ write: () => undefined });
  return native<NativeExports>(webp, { name: `counting ${++modules}`, keepBytes: 8 << 20, imports });
}

/** Work of a few microseconds in the module, so many times. */
function toil(exports: NativeExports, times: number): void {
  for (let left = times; left > 0; left--) exports.free(exports.malloc(1_000));
}

const ENDLESS = 100_000_000;

it("ends a call that takes more than it may, and gives the next job a new instance", () => {
  const module = countingModule();
  const instance = module.acquireAlone();
  const fuel = new Fuel(1);
  expect(() => instance.run((exports) => toil(exports, ENDLESS), fuel)).toThrow(OutOfFuel);
  expect(instance.broken).toBe(true);
  expect(fuel.leftMs).toBeLessThanOrEqual(0);
  module.release(instance);
  const next = module.acquireAlone();
  expect(next).not.toBe(instance);
  expect(next.run((exports) => exports.malloc(1_000))).not.toBe(0);
  module.release(next);
});

it("takes what all calls of a job use from what the job may have", () => {
  const module = countingModule();
  const job = module.acquireAlone(new Fuel(1));
  let calls = 0;
  const toilOn = () => {
    for (; calls < ENDLESS; calls++) job.run((exports) => toil(exports, 10));
  };
  expect(toilOn).toThrow(OutOfFuel);
  expect(calls).toBeGreaterThan(1);
  module.release(job);
});

it("has no more memory than 96 MiB", () => {
  const module = countingModule();
  const instance = module.acquireAlone();
  expect(instance.run((exports) => exports.malloc(96 << 20))).toBe(0);
  expect(instance.exports.memory.buffer.byteLength).toBeLessThan(96 << 20);
  module.release(instance);
});
