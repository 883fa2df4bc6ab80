/** What a soak says of memory that grows, stays, or fills a cache. */
import { describe, expect, it } from "vitest";

import { flatnessLine, flatnessOf, type HeldAt } from "./flatness.ts";
import { Rests } from "./rests.ts";

/** Ten looks in an hour, off by 0.2 MB to either side. */
function hour(megabytes: (tenth: number) => number): HeldAt[] {
  return Array.from({ length: 10 }, (_, at) => ({
    seconds: (at + 1) * 360,
    bytes: (megabytes(at + 1) + (at % 2 === 0 ? 0.2 : -0.2)) * 1e6,
  }));
}

describe("memory over an hour", () => {
  it.each([
    ["stays", () => 15, "flat"],
    ["has filled caches in its first tenth", (tenth: number) => (tenth === 1 ? 5 : 15), "flat"],
    ["comes down", (tenth: number) => 20 - tenth, "flat"],
    ["grows by a megabyte, as bounded caches do", (tenth: number) => 15 + tenth * 0.1, "flat"],
    ["grows by five megabytes", (tenth: number) => 15 + tenth * 0.5, "grows"],
  ])("%s", (_what, megabytes, verdict) => {
    expect(flatnessOf(hour(megabytes)).verdict).toBe(verdict);
  });

  it("is not judged by a few looks, nor by a slope that chance explains", () => {
    expect(flatnessOf(hour(() => 15).slice(0, 4)).verdict).toBe("too few measurements");
    const wild = [10, 30, 11, 28, 12, 31, 10, 33, 15, 29].map((bytes, at) => ({
      seconds: at * 360,
      bytes: bytes * 1e6,
    }));
    expect(flatnessOf(wild)).toMatchObject({ verdict: "flat" });
  });

  it("is told with its slope", () => {
    const line = flatnessLine(
      "heap",
      hour((tenth) => 15 + tenth * 0.5),
    );
    expect(line).toMatch(/^heap, MB at each tenth: 15\.7 15\.8 .* 19\.8; 5\.\d ± 0\.\d MB an hour: grows$/);
  });
});

it("a rest begins once all callers who are left have come, and ends for all of them", async () => {
  const rests = new Rests(3);
  const past: string[] = [];
  await rests.pass();
  const begun = rests.begin().then(() => past.push("begun"));
  const [one, two] = ["one", "two"].map((name) => rests.pass().then(() => past.push(name)));
  await Promise.resolve();
  expect(past).toEqual([]);
  rests.leave();
  await begun;
  expect(past).toEqual(["begun"]);
  rests.end();
  await Promise.all([one, two]);
  expect(past).toEqual(["begun", "one", "two"]);
});
