/** Jobs of an isolate that run beside each other, and suspects that run alone. */
import { expect, it } from "vitest";

import { RUN_LEASE_MS } from "../../src/limits/webhook.ts";
import { Company } from "../../src/webhook/company.ts";
import type { Place } from "../../src/webhook/ports.ts";

/** Virtual time: a pause ends when the test lets it. */
function world() {
  let now = 0;
  const paused: (() => void)[] = [];
  const pause = async (milliseconds: number) => {
    await new Promise<void>((resume) => paused.push(resume));
    now += milliseconds;
  };
  const company = new Company({ now: () => now, pause });
  const tick = async () => {
    paused.shift()?.();
    await scheduler.wait(1);
  };
  return { company, tick, pass: (milliseconds: number) => void (now += milliseconds) };
}

it("lets jobs run beside each other that were not started before", async () => {
  const { company } = world();
  expect(await company.join(false)).toBeDefined();
  expect(await company.join(false)).toBeDefined();
});

it("lets a job that must be alone wait for the others, and puts back whoever comes meanwhile", async () => {
  const { company, tick } = world();
  const first = await company.join(false);
  let alone: Place | undefined;
  const joining = company.join(true).then((place) => (alone = place));
  await tick();
  expect(alone).toBeUndefined();
  expect(await company.join(false)).toBeUndefined();
  expect(await company.join(true)).toBeUndefined();
  first?.leave();
  await tick();
  await joining;
  expect(alone).toBeDefined();
  expect(await company.join(false)).toBeUndefined();
  alone?.leave();
  expect(await company.join(false)).toBeDefined();
});

it("takes a job that is still there after any run's time for dead", async () => {
  const { company, pass } = world();
  await company.join(true);
  pass(RUN_LEASE_MS);
  expect(await company.join(true)).toBeDefined();
});

it("waits for a job that takes long and says that it is alive", async () => {
  const { company, pass } = world();
  const long = await company.join(true);
  pass(RUN_LEASE_MS - 1);
  long?.stay();
  pass(RUN_LEASE_MS - 1);
  expect(await company.join(false)).toBeUndefined();
});
