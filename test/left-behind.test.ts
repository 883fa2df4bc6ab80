/** What a test file changes in the runtime it shares is found, and put back. */
import { env } from "cloudflare:workers";
import { afterEach, expect, it, vi } from "vitest";

import { noteShared } from "./support/left-behind.ts";

afterEach(() => void vi.useRealTimers());

it("is named and put back: a new global, a changed one, a method of a prototype, a variable", () => {
  const before = [globalThis.fetch, Array.prototype.at, env.SERVICE_NAME];
  const putBack = noteShared(env);
  expect(putBack()).toEqual([]);
  Object.assign(globalThis, { left: 1, fetch: () => undefined });
  Object.assign(Array.prototype, { at: () => undefined });
  Object.assign(env, { SERVICE_NAME: "Another" });
  expect(putBack().sort()).toEqual(["Array.prototype.at", "env.SERVICE_NAME", "globalThis.fetch", "globalThis.left"]);
  expect([globalThis.fetch, Array.prototype.at, env.SERVICE_NAME]).toEqual(before);
  expect("left" in globalThis).toBe(false);
});

it("is named when it is the clock", () => {
  const putBack = noteShared(env);
  vi.useFakeTimers();
  expect(putBack()).toEqual(["fake timers"]);
  expect(vi.isFakeTimers()).toBe(false);
});

it("is named when a spy on a faked timer comes back after the timers are real", () => {
  const putBack = noteShared(env);
  vi.useFakeTimers();
  vi.spyOn(globalThis, "setTimeout").mockRestore();
  vi.useRealTimers();
  vi.restoreAllMocks();
  expect(putBack()).toEqual(["globalThis.setTimeout"]);
});
