/** The memory that reading a container takes does not follow the number of its parts. */
import "../support/imports-on-node.ts";
import { beforeAll, describe, expect, it } from "vitest";

import { type FramingCost, framingCosts } from "../bench/framing.ts";
import { FRAMINGS } from "../support/hostile-framing.ts";
import { MANIFESTS } from "../support/hostile-manifests.ts";
import { RUNS } from "../support/hostile-runs.ts";
import { STORES } from "../support/hostile-stores.ts";
import { shared } from "../support/share.ts";

const MEGABYTE = 1 << 20;
const NAMES = shared(
  Object.keys(FRAMINGS).filter((name) => !Object.hasOwn(MANIFESTS, name) && !Object.hasOwn(STORES, name)),
);
/** What any file may allocate besides: tables of 32,768 items, a profile of 4 MB that was compressed to a few KB. */
const CONSTANT_BYTES = 12 * MEGABYTE;
/** Bytes that are allocated for a byte more. */
const MOST_PER_BYTE = 2;
/** What looking through the values of a manifest store may allocate, however large it is. */
const MANIFEST_BYTES = 64 * MEGABYTE;
/** Processor time of whatever small file on a busy machine, and of each byte more. */
const CONSTANT_MS = 250;
const MOST_NANOSECONDS = 20;
/** Drawings are read as text, and their styles worked out, under a bound on characters. */
const DRAWING_NANOSECONDS = 2_000;

describe.each([
  ["their smallest part, and of references that multiply", NAMES],
  ["the smallest part of a manifest store", shared(Object.keys(STORES))],
])("files of 1, 2 and 4 MB of nothing but %s", (_, names) => {
  let costs: ReadonlyMap<string, readonly FramingCost[]>;
  beforeAll(() => {
    costs = Map.groupBy(framingCosts(names), ({ name }) => name);
  });

  it.each(names)("take no memory for each of their parts, and a time that follows their bytes: %s", (name) => {
    const sizes = costs.get(name) ?? [];
    expect(sizes).toHaveLength(3);
    for (const { bytes, allocated, kept } of sizes) {
      expect(allocated).toBeLessThan(CONSTANT_BYTES + bytes * MOST_PER_BYTE);
      expect(kept).toBeLessThan(MEGABYTE);
    }
    const [, middle, largest] = sizes;
    const more = (largest?.bytes ?? 0) - (middle?.bytes ?? 0);
    // A megabyte is what the engine may do meanwhile.
    expect((largest?.allocated ?? 0) - (middle?.allocated ?? 0)).toBeLessThan(more * MOST_PER_BYTE + MEGABYTE);
    for (const { bytes, ms } of sizes) expect(ms).toBeLessThan(CONSTANT_MS + (bytes * MOST_NANOSECONDS) / 1e6);
  });
});

describe("manifest stores whose parts each ask for a look at all the others, or take more memory than bytes", () => {
  const names = shared(Object.keys(MANIFESTS));
  let costs: ReadonlyMap<string, readonly FramingCost[]>;
  beforeAll(() => {
    costs = Map.groupBy(framingCosts(names), ({ name }) => name);
  });

  it.each(names)("take a time that follows their bytes, and a memory that does not: %s", (name) => {
    for (const { bytes, ms, allocated, kept } of costs.get(name) ?? []) {
      expect(ms).toBeLessThan(CONSTANT_MS + (bytes * MOST_NANOSECONDS) / 1e6);
      expect(allocated).toBeLessThan(MANIFEST_BYTES);
      expect(kept).toBeLessThan(MEGABYTE);
    }
    expect(costs.get(name)).toHaveLength(3);
  });
});

describe("drawings with manifest stores", () => {
  const drawings = shared(Object.keys(STORES).filter((name) => name.startsWith("SVG")));
  let costs: ReadonlyMap<string, readonly FramingCost[]>;
  beforeAll(() => {
    costs = Map.groupBy(framingCosts(drawings, true), ({ name }) => name);
  });

  it.each(drawings)("take a memory and a time that follow their bytes: %s", (name) => {
    for (const { bytes, ms, allocated } of costs.get(name) ?? []) {
      expect(ms).toBeLessThan(CONSTANT_MS + (bytes * MOST_NANOSECONDS) / 1e6);
      expect(allocated).toBeLessThan(CONSTANT_BYTES + bytes * MOST_PER_BYTE);
    }
    expect(costs.get(name)).toHaveLength(3);
  });
});

describe("drawings with a run of one character as long as they are", () => {
  const runs = shared(Object.keys(RUNS).filter((name) => name.startsWith("SVG")));
  let costs: ReadonlyMap<string, readonly FramingCost[]>;
  beforeAll(() => {
    costs = Map.groupBy(framingCosts(runs, true), ({ name }) => name);
  });

  it.each(runs)("take a time that follows their bytes: %s", (name) => {
    for (const { bytes, ms } of costs.get(name) ?? []) {
      expect(ms).toBeLessThan(CONSTANT_MS + (bytes * DRAWING_NANOSECONDS) / 1e6);
    }
    expect(costs.get(name)).toHaveLength(3);
  });
});
