/** Native modules and their calls: memory that is given back, work that pauses. */
import { describe, expect, it, vi } from "vitest";

import { Thread, UNPAUSED } from "../../src/scheduler/time-slice.ts";
import { openTransform } from "../../wasm/color/color.ts";
import { collectDropped, droppedNativeBytes } from "../../wasm/dropped.ts";
import { Handle } from "../../wasm/handle.ts";
import {
  allocated,
  dropNative,
  NativeError,
  NativeInstance,
  nativeMemoryBytes,
  nativeStatistics,
  OutOfMemory,
  trimNative,
} from "../../wasm/load.ts";
import type { Turns } from "../../wasm/pausing.ts";
import { COLOR_TYPE } from "../../wasm/pixels/png-header.ts";
import { openPngReader } from "../../wasm/pixels/png-reader.ts";
import { openComparison } from "../../wasm/score/score.ts";
import adobeRgb from "../fixtures/profiles/adobe-rgb.icc";
import displayP3 from "../fixtures/profiles/display-p3.icc";
import { memoryOf, pausingModule } from "../support/native-modules.ts";

function replacedOf(name: string): number {
  return nativeStatistics().find((module) => module.name === name)?.replaced ?? 0;
}

describe("idle native memory", () => {
  it("gives way from the longest unused module on, and never under a job", () => {
    openTransform(new Uint8Array(adobeRgb), "rgba")?.close();
    openComparison(2_000, 16).close();
    const job = openTransform(new Uint8Array(adobeRgb), "rgba");
    expect(memoryOf("score")).toBeGreaterThan(0);
    trimNative(0);
    expect(memoryOf("score")).toBe(0);
    expect(memoryOf("color")).toBeGreaterThan(0);
    expect([...(job?.convert(Uint8Array.of(255, 255, 255, 255)) ?? [])]).toEqual([255, 255, 255, 255]);
    job?.close();
    openComparison(64, 64).close();
    trimNative(memoryOf("score"));
    expect(memoryOf("color")).toBe(0);
    expect(nativeMemoryBytes()).toBe(memoryOf("score"));
  });

  it("gives way before what nearly all jobs come for, however long that is unused", () => {
    trimNative(0);
    openComparison(64, 64).close();
    const { module } = pausingModule();
    module.release(module.acquireAlone());
    trimNative(nativeMemoryBytes() - 1);
    expect(nativeMemoryBytes()).toBe(memoryOf("score"));
    expect(memoryOf("score")).toBeGreaterThan(0);
    trimNative(0);
    expect(memoryOf("score")).toBe(0);
  });
});

describe("an idle instance that grew beyond what it may keep", () => {
  it("is used again by who declares as much, and by nobody else", () => {
    const { module } = pausingModule();
    const first = module.acquireAlone();
    first.exports.memory.grow(64);
    const bytes = first.exports.memory.buffer.byteLength;
    module.release(first);
    const again = module.acquireAlone(undefined, bytes);
    expect(again).toBe(first);
    module.release(again);
    const other = module.acquireAlone(undefined, bytes - 1);
    expect(other).not.toBe(first);
    module.release(other);
  });
});

/** Work in which the call of that number into native code says that it has no memory. */
function withoutMemoryAt(call: number, work: () => unknown): void {
  const run = Object.getOwnPropertyDescriptor(NativeInstance.prototype, "run")?.value as (
    ...args: unknown[]
  ) => unknown;
  let calls = 0;
  const spy = vi.spyOn(NativeInstance.prototype, "run").mockImplementation(function (this: unknown, ...args) {
    return ++calls === call ? 0 : Reflect.apply(run, this, args);
  });
  try {
    work();
  } finally {
    spy.mockRestore();
  }
}

describe("memory that there is not", () => {
  it("is refused where it was asked for, and is never written to", () => {
    expect(allocated(8)).toBe(8);
    expect(() => allocated(0)).toThrow(OutOfMemory);
    const { module } = pausingModule();
    const instance = module.acquireAlone();
    expect(() => instance.bytes(0, 1)).toThrow(OutOfMemory);
    expect(instance.bytes(0, 0)).toHaveLength(0);
    module.release(instance);
    expect(
      () =>
        new Handle(
          module,
          () => 0,
          () => {},
        ),
    ).toThrow(OutOfMemory);
    expect(module.statistics().memoryBytes).toBeGreaterThan(0);
  });

  it("is not taken for a transform, or for the levels of a PNG file, and nothing is held for them", () => {
    const levels = Uint8Array.from({ length: 256 }, (_, at) => at);
    const png = { width: 4, height: 4, depth: 8, type: COLOR_TYPE.rgb, interlaced: false, input: () => null } as const;
    // The first use makes the instances, which are calls into them, too.
    openTransform(new Uint8Array(displayP3), "rgba")?.close();
    openPngReader({ ...png, levels }, UNPAUSED).close();
    for (const call of [1, 2]) {
      const open = () => openTransform(new Uint8Array(adobeRgb), "rgba");
      expect(() => withoutMemoryAt(call, open)).toThrow(OutOfMemory);
    }
    expect(() => withoutMemoryAt(2, () => openPngReader({ ...png, levels }, UNPAUSED))).toThrow(OutOfMemory);
    trimNative(0);
    expect([memoryOf("color"), memoryOf("pixels")]).toEqual([0, 0]);
  });
});

/** Pauses whenever it is asked, for a whole turn of the event loop. */
function everyTime(): Turns & { readonly pauses: () => number } {
  let count = 0;
  return {
    async spend() {
      count++;
      await scheduler.wait(0);
    },
    pauses: () => count,
  };
}

/** Pauses the third time for ever, for nobody waits any more. */
function abortedAtThird(reason: Error): Turns {
  let count = 0;
  return {
    async spend() {
      await scheduler.wait(0);
      if (++count === 3) throw reason;
    },
  };
}

const SUM_OF_100 = Array.from({ length: 100 }, (_, at) => (at & 15) + at).reduce((a, b) => a + b);

describe("instances that are given up while jobs use them", () => {
  it("are used by nobody who comes later, and only by who was not in the midst of a call", () => {
    const { name, module } = pausingModule();
    const [inCall, other] = [module.acquireAlone(), module.acquireAlone()];
    const before = droppedNativeBytes();
    // Between two events no call stands open, but for one that was ended in its midst.
    inCall.run(() => dropNative());
    expect(memoryOf(name)).toBe(0);
    expect(droppedNativeBytes()).toBeGreaterThan(before);
    expect(() => inCall.run((exports) => exports.sum(1))).toThrow("in the midst of another call");
    expect(other.run((exports) => exports.sum(100))).toBe(SUM_OF_100);
    for (const instance of [inCall, other]) module.release(instance);
    const next = module.acquireAlone();
    expect([inCall, other]).not.toContain(next);
    module.release(next);
  });
});

describe("memory that was given up", () => {
  it("is collected at once where the engine is made to, and not while somebody uses it", async () => {
    const { module } = pausingModule();
    const instances = [module.acquireAlone(), module.acquireAlone()];
    const { memory } = instances[0]?.exports ?? {};
    for (const instance of instances.splice(0)) module.release(instance);
    // A memory stays until the turn ends in which it was made.
    await scheduler.wait(1);
    trimNative(0);
    const dropped = droppedNativeBytes();
    const collected = collectDropped();
    expect(collected).toBeGreaterThan(0);
    expect(droppedNativeBytes()).toBe(dropped - collected);
    expect(droppedNativeBytes()).toBeGreaterThanOrEqual(memory?.buffer.byteLength ?? Infinity);
  });
});

describe("a native call that pauses", () => {
  it("comes to what it would at once, and leaves the stack as it was", async () => {
    const { module } = pausingModule();
    const instance = module.acquireAlone();
    const before: unknown = instance.exports.__stack_pointer?.value;
    const timeSlice = everyTime();
    expect(await instance.runPausing({ timeSlice, nanoseconds: 1 }, "sum", 100)).toBe(SUM_OF_100);
    expect(timeSlice.pauses()).toBe(100);
    expect(await instance.runPausing({ timeSlice, nanoseconds: 1 }, "depth", 300)).toBe(300);
    expect(instance.run((exports) => exports.sum(100))).toBe(SUM_OF_100);
    expect(instance.exports.__stack_pointer?.value).toBe(before);
    module.release(instance);
  });

  it("declares its work in milliseconds and pauses only where a stretch is full", async () => {
    const { module } = pausingModule();
    const instance = module.acquireAlone();
    let pauses = 0;
    const thread = new Thread(
      () => 0,
      async () => {
        pauses++;
        await scheduler.wait(0);
      },
    );
    const work = thread.run((timeSlice) => instance.runPausing({ timeSlice, nanoseconds: 1e6 }, "sum", 100));
    expect(await work).toBe(SUM_OF_100);
    expect(pauses).toBe(2);
    module.release(instance);
  });

  it("goes on at once where it was not made to pause", () => {
    const { module } = pausingModule();
    const instance = module.acquire();
    expect(instance.run((exports) => exports.sum(100))).toBe(SUM_OF_100);
    module.release(instance);
  });

  it("alternates with others of its module, each in an instance of its own that the next jobs use", async () => {
    const { name, module } = pausingModule();
    const sums = Array.from({ length: 2 }, async (_, index) => {
      const instance = module.acquireAlone();
      const sum = await instance.runPausing({ timeSlice: everyTime(), nanoseconds: 1 }, "sum", 100 + index);
      module.release(instance);
      return sum;
    });
    const two = memoryOf(name);
    expect(await Promise.all(sums)).toEqual([SUM_OF_100, SUM_OF_100 + (100 & 15) + 100]);
    const again = [module.acquireAlone(), module.acquire()];
    expect(memoryOf(name)).toBe(two);
    for (const instance of again) module.release(instance);
    trimNative(0);
    expect(memoryOf(name)).toBe(0);
  });

  it("lets nobody in while it stands", async () => {
    const { module } = pausingModule();
    const instance = module.acquireAlone();
    const standing = instance.runPausing({ timeSlice: everyTime(), nanoseconds: 1 }, "sum", 3);
    expect(() => instance.run((exports) => exports.sum(1))).toThrow("entered in the midst of another call");
    expect(await standing).toBe(3 + 3);
    module.release(instance);
  });

  it("throws what the library refused, and the instance stays in use", async () => {
    const { name, module } = pausingModule();
    const instance = module.acquireAlone();
    const before: unknown = instance.exports.__stack_pointer?.value;
    const refused = instance.runPausing({ timeSlice: everyTime(), nanoseconds: 1 }, "fail_after", 5);
    await expect(refused).rejects.toThrow(new NativeError("refused"));
    expect(instance.exports.__stack_pointer?.value).toBe(before);
    module.release(instance);
    const next = module.acquireAlone();
    expect(next).toBe(instance);
    module.release(next);
    expect(replacedOf(name)).toBe(0);
  });

  it("gives up an instance that trapped", async () => {
    const { name, module } = pausingModule();
    const instance = module.acquireAlone();
    const trapped = instance.runPausing({ timeSlice: everyTime(), nanoseconds: 1 }, "trap_after", 5);
    await expect(trapped).rejects.toThrow(new NativeError("the native code trapped"));
    module.release(instance);
    const next = module.acquireAlone();
    expect(next).not.toBe(instance);
    module.release(next);
    expect(replacedOf(name)).toBe(1);
  });

  it("leaves C with the reason when it is aborted, and gives up the instance", async () => {
    const { name, module } = pausingModule();
    const reason = new Error("nobody waits");
    const instance = module.acquireAlone();
    const aborted = instance.runPausing({ timeSlice: abortedAtThird(reason), nanoseconds: 1 }, "sum", 100);
    await expect(aborted).rejects.toBe(reason);
    module.release(instance);
    const next = module.acquireAlone();
    expect(next.run((exports) => exports.sum(100))).toBe(SUM_OF_100);
    module.release(next);
    expect(replacedOf(name)).toBe(1);
  });

  it("ends when its job is closed in a pause", async () => {
    const { module } = pausingModule();
    const instance = module.acquireAlone();
    const standing = instance.runPausing({ timeSlice: everyTime(), nanoseconds: 1 }, "sum", 100);
    module.release(instance);
    await expect(standing).rejects.toThrow(NativeError);
    const next = module.acquireAlone();
    expect(next).not.toBe(instance);
    module.release(next);
  });
});
