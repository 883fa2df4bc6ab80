/**
 * An engine without stack switching, as platforms may have it: calls of native modules that would make way for others in
 * their midst are made at once, and every kind of job makes what it makes with it.
 */
import { expect, it, vi } from "vitest";

import { UNPAUSED } from "../../../src/scheduler/time-slice.ts";
import { JOBS } from "../../support/jobs.ts";

const without = Object.getOwnPropertyDescriptors(WebAssembly) as Record<string, PropertyDescriptor>;
delete without["Suspending"];
delete without["promising"];

vi.stubGlobal("WebAssembly", Object.defineProperties({}, without));
vi.resetModules();
const { JOBS: unswitched } = await import("../../support/jobs.ts");
const { promising } = await import("../../../wasm/pausing.ts");
const { Thread } = await import("../../../src/scheduler/time-slice.ts");
const { nativeHeap } = await import("../../../wasm/load.ts");
vi.unstubAllGlobals();

it("is what these jobs run in", () => expect(promising).toBeUndefined());

it.each(Object.entries(JOBS))("makes the same: %s", async (name, jobs) => {
  for (const [index, job] of jobs.entries()) {
    const other = unswitched[name]?.[index];
    let clock = 0;
    // A thread that asks for a pause at every turn.
    const thread = new Thread(
      () => (clock += 1_000),
      async () => undefined,
    );
    expect(await thread.run(other as typeof job)).toBe(await job(UNPAUSED));
  }
  expect(nativeHeap().used).toBe(0);
});
