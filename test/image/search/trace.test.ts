/** What a search tells of itself: all that it does, without doing anything else. */
import { describe, expect, it } from "vitest";

import { png } from "../../../src/image/formats/png.ts";
import type { SingleOrder } from "../../../src/image/render/order.ts";
import { render } from "../../../src/image/render/render.ts";
import { TARGET_SCORE } from "../../../src/image/search/presets.ts";
import type { TraceEvent } from "../../../src/image/search/trace.ts";
import { SharedBytes } from "../../../src/scheduler/shared-bytes.ts";
import { UNPAUSED } from "../../../src/scheduler/time-slice.ts";
import { rendered } from "../../support/render.ts";
import { paint, pictureOf, scene } from "../../support/rows.ts";

const EXACT = { lossless: true, quality: 100, progressive: false, effort: 0 };

/** Dots of many colors, which few colors turn into others. */
const DOTS = paint(240, 160, (x, y) => {
  const isDot = x % 12 < 5 && y % 12 < 5;
  return isDot ? [(x * 7) % 256, (y * 11) % 256, ((x + y) * 5) % 256, 255] : [255, 255, 255, 255];
});

async function told(order: Partial<SingleOrder>, pixels = scene(320, 240)) {
  const original = await png.write.encode(pictureOf([pixels]), EXACT, UNPAUSED);
  const events: TraceEvent[] = [];
  const { output } = await rendered(original, { ...order, trace: (event) => events.push(event) });
  const silent = await rendered(original, order);
  return { events, output, silent: silent.output };
}

describe("a search that is asked what it does", () => {
  it.each([
    ["writes files to judge them", { output: { format: "jpeg" } }],
    ["judges what it did not write", { output: { format: "png" } }],
    ["chooses a format", { output: { format: "auto" } }],
    ["fits a size", { output: { format: "webp" }, optimize: { target_bytes: 6_000, lossless: false } }],
  ] satisfies [string, Partial<SingleOrder>][])("makes the same file where it %s", async (_what, order) => {
    const { output, silent } = await told(order);
    expect(output.bytes).toEqual(silent.bytes);
  });

  it("tells every attempt from its beginning to its end, with the bytes of its file", async () => {
    const { events, output } = await told({ output: { format: "jpeg" } });
    const attempts = events.filter(({ kind }) => kind === "attempt" || kind === "ended").map(({ kind }) => kind);
    expect(attempts.slice(0, 2)).toEqual(["attempt", "ended"]);
    expect(attempts.filter((kind) => kind === "attempt")).toHaveLength(attempts.length / 2);
    const files = events.filter((event) => event.kind === "ended" && event.came === "a file");
    // The mark by which a file is known when it comes back is written after that.
    expect(files.some((file) => "bytes" in file && output.bytes.length - (file.bytes ?? 0) < 30)).toBe(true);
  });

  it("tells every probe once, with what both opinions say", async () => {
    const { events, output } = await told({ output: { format: "jpeg" } });
    const judged = events.filter((event) => event.kind === "judged");
    expect(judged.length).toBeGreaterThan(0);
    expect(new Set(judged.map((event) => JSON.stringify(event))).size).toBe(judged.length);
    expect(judged.some(({ points, score }) => points === output.score && score !== undefined && score >= points)).toBe(
      true,
    );
  });

  it("asks the second opinion alone of what that rules out, and both of everything else", async () => {
    const { events } = await told({ output: { format: "png" } }, DOTS);
    const judged = events.filter((event) => event.kind === "judged");
    const ruledOut = judged.filter(({ score }) => score === undefined);
    expect(ruledOut.length).toBeGreaterThan(0);
    for (const { points } of ruledOut) expect(points).toBeLessThan(TARGET_SCORE.medium);
    const others = judged.filter(({ points }) => points >= TARGET_SCORE.medium);
    expect(others.length).toBeGreaterThan(0);
    for (const { points, score } of others) expect(score).toBeGreaterThanOrEqual(points);
  });

  it("tells what it did not try, and why", async () => {
    const { events } = await told({ output: { format: "jpeg" } });
    const left = events.filter((event) => event.kind === "not made");
    expect(left.map(({ name, why }) => [name, why])).toContainEqual(["encode blind", "cannot beat the best so far"]);
  });

  it("tells of which result of several it speaks, each once", async () => {
    const original = await png.write.encode(pictureOf([scene(320, 240)]), EXACT, UNPAUSED);
    const names: string[] = [];
    const ended: string[] = [];
    const trace = (event: TraceEvent) => {
      if (event.kind === "result") names.push(event.name);
      if (event.kind === "ended" && event.came === "a file") ended.push(names.at(-1) ?? "");
    };
    const entries = ["jpeg", "webp"].map((format) => ({
      name: format,
      operations: {},
      output: { format } as const,
      optimize: undefined,
      analyze: undefined,
    }));
    const order = { operations: {}, analyze: undefined, overlays: new Map<string, Uint8Array>(), accept: undefined };
    const refusalOf = (_: unknown, error: unknown) => error;
    const made: string[] = [];
    await render(SharedBytes.of(original), { ...order, entries: () => entries, refusalOf, trace }, ({ name }) =>
      made.push(name),
    );
    expect(names.toSorted()).toEqual(["jpeg", "webp"]);
    expect(names).toEqual(made);
    expect([...new Set(ended)]).toEqual(names);
  });
});
