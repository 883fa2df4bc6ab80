/** What is found on a board is not believed: other Workers of the zone, and other versions of this one, may keep anything there. */
import { beforeEach, describe, expect, it, vi } from "vitest";

import { Blocks } from "../../src/account/blocks.ts";
import { boardAt, type Posted, sheetOf } from "../../src/account/board.ts";
import type { Telling, Told } from "../../src/account/metered.ts";

const BASE = "https://darkroom.test";
const METER = "account:1";
const NOW = Date.UTC(2026, 10, 30);
const batch: Posted = {
  id: "8f47e931-b631-45fe-9c4f-0fa36c788d69",
  key: "k",
  used: [{ requests: 2, lease: 1_764_460_800 }],
  outcomes: [
    { lease: 1_764_460_800, reserved: 1, spent: { key: "k", bytesIn: 10, bytesOut: 5 } },
    { lease: 1_764_460_800, reserved: 1, unspent: { key: "k", ms: 1.5 } },
    { lease: 1_764_460_800, reserved: 2, unspent: {} },
  ],
  unused: [{ requests: 18, lease: 1_764_460_800 }],
  at: NOW,
};
const [outcome] = batch.outcomes;

/** Keeps a text where the board of a meter lies. */
async function keep(text: string): Promise<void> {
  const name = `${BASE}/board/1/${encodeURIComponent(METER)}`;
  await caches.default.put(name, new Response(text, { headers: { "cache-control": "max-age=120" } }));
}

/** Sheets that are none. */
const FOREIGN: readonly string[] = [
  "",
  "<html>",
  "null",
  "7",
  '"text"',
  "[]",
  "{}",
  '{"batches":{},"written":[]}',
  '{"batches":[]}',
  '{"batches":[],"written":{}}',
  '{"batches":[],"written":[null]}',
  JSON.stringify({ batches: Array(10_000).fill(batch), written: [] }),
  JSON.stringify({ batches: [], written: ["x".repeat(100_000)] }),
];

/** Batches that are none. */
const STRANGE: readonly (readonly [string, unknown])[] = [
  ["nothing", null],
  ["of another version", { ...batch, more: 1 }],
  ["without a moment", { ...batch, at: null }],
  ["without outcomes", { ...batch, outcomes: undefined }],
  ["whose name is none", { ...batch, id: "__proto__" }],
  ["that gives requests", { ...batch, used: [{ requests: -5, lease: 1 }] }],
  ["that takes all requests", { ...batch, used: [{ requests: 1_000_000, lease: 1 }] }],
  ["that gives credits", { ...batch, outcomes: [{ ...outcome, reserved: -1_000 }] }],
  ["that takes all credits", { ...batch, outcomes: [{ ...outcome, spent: { ...outcome?.spent, credits: 1e9 } }] }],
  ["of bytes that are no number", { ...batch, outcomes: [{ ...outcome, spent: { ...outcome?.spent, bytesIn: "9" } }] }],
  ["with time that is less than none", { ...batch, outcomes: [{ ...outcome, unspent: { key: "k", ms: -1e9 } }] }],
];

beforeEach(() => caches.default.delete(`${BASE}/board/1/${encodeURIComponent(METER)}`));

it("what this version posts is read as it was", async () => {
  const board = boardAt(BASE);
  await board.write(METER, { batches: [batch], written: ["a"] });
  expect(await board.read(METER)).toEqual({ batches: [batch], written: ["a"] });
});

it.each(FOREIGN.map((text) => [text.slice(0, 40), text]))("nothing is read of %s", async (_, text) => {
  await keep(text);
  expect(await boardAt(BASE).read(METER)).toEqual({ batches: [], written: [] });
});

it.each(STRANGE)("a batch %s is left out, and those beside it stay", (_, strange) => {
  expect(sheetOf({ batches: [strange, batch], written: [] })).toEqual({ batches: [batch], written: [] });
});

describe("an isolate", () => {
  it.each(FOREIGN.map((text) => [text.slice(0, 40), text]))(
    "tells its meter all the same beside %s",
    async (_, text) => {
      await keep(text);
      const tell = vi.fn<(telling: Telling) => Promise<Told>>(async () => ({}));
      const taken = { allowed: true, limit: 9, remaining: 8, resetSeconds: 900, used: 0, lease: 7 };
      const reach = { meters: { getByName: () => ({ take: async () => taken, tell }) }, board: boardAt(BASE) };
      const blocks = new Blocks();
      await blocks.take(reach, METER, { key: "k", limit: 9, account: "1", creditsTotal: 100 }, 25_000);
      const spent = { key: "k", bytesIn: 1, bytesOut: 1 };
      await blocks.close(reach, { meter: METER, key: "k" }, 25_000, { lease: 7, reserved: 1, spent }, true);
      expect(tell.mock.lastCall?.[0].batches.map(({ outcomes }) => outcomes)).toEqual([
        [{ lease: 7, reserved: 1, spent }],
      ]);
      expect(blocks.isSettled).toBe(true);
    },
  );
});
