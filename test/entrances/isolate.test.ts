/** What an isolate does after the platform ended work in it. */
import { describe, expect, it } from "vitest";

import { Isolate } from "../../src/entrances/isolate.ts";

/** An isolate in which the next event finds that work was ended, if `isEnded`. */
function isolateWith({
  isEnded = true,
  isIdle = (): boolean => true,
  canAbort = true,
  quiet = Promise.resolve(),
} = {}) {
  const aborted: string[] = [];
  const told: number[] = [];
  let found = isEnded;
  const isolate: Isolate = new Isolate({
    look: () => {
      if (!found) return false;
      found = false;
      isolate.noteEnd();
      return true;
    },
    isIdle,
    abort: canAbort ? (reason) => void aborted.push(reason) : undefined,
    pause: () => quiet,
    tellAll: async () => void told.push(aborted.length),
  });
  const deferred: Promise<unknown>[] = [];
  const defer = (work: Promise<unknown>) => void deferred.push(work);
  return { isolate, aborted, told, defer, settled: () => Promise.all(deferred) };
}

describe("after work was ended in its midst", () => {
  it("the next invocation is served, and the isolate is replaced when it is over", async () => {
    const { isolate, aborted, told, defer, settled } = isolateWith();
    expect(await isolate.during(defer, () => "served")).toBe("served");
    await settled();
    expect(aborted).toEqual(["work was ended in its midst"]);
    // What only it knew was told before.
    expect(told).toEqual([0]);
  });

  it("it is not replaced while others are at work", async () => {
    const { isolate, aborted, defer, settled } = isolateWith();
    const other = Promise.withResolvers<string>();
    const long = isolate.during(defer, () => other.promise);
    await isolate.during(defer, () => "served");
    await settled();
    expect(aborted).toEqual([]);
    other.resolve("done");
    await long;
    await settled();
    expect(aborted).toHaveLength(1);
  });

  it("nor while somebody holds memory", async () => {
    let isIdle = false;
    const { isolate, aborted, defer, settled } = isolateWith({ isIdle: () => isIdle });
    await isolate.during(defer, () => "served");
    await settled();
    expect(aborted).toEqual([]);
    isIdle = true;
    await isolate.during(defer, () => "served");
    await settled();
    expect(aborted).toHaveLength(1);
  });

  it("nor where somebody came meanwhile", async () => {
    const quiet = Promise.withResolvers<void>();
    const { isolate, aborted, defer, settled } = isolateWith({ quiet: quiet.promise });
    const other = Promise.withResolvers<string>();
    await isolate.during(defer, () => "served");
    const second = isolate.during(defer, () => other.promise);
    quiet.resolve();
    await settled();
    expect(aborted).toEqual([]);
    other.resolve("done");
    await second;
  });

  it("it goes on where the platform has no end for it", async () => {
    const { isolate, defer, settled } = isolateWith({ canAbort: false });
    await isolate.during(defer, () => "served");
    await settled();
    expect(await isolate.during(defer, () => "served")).toBe("served");
  });
});

it("an isolate in which nothing was ended is not replaced, whatever fails", async () => {
  const { isolate, aborted, defer, settled } = isolateWith({ isEnded: false });
  await expect(isolate.during(defer, () => Promise.reject(new Error("failed")))).rejects.toThrow("failed");
  await settled();
  expect(aborted).toEqual([]);
});
