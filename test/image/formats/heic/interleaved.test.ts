/** HEIC jobs that take turns make what each makes alone. */
import { describe, expect, it } from "vitest";

import { heic } from "../../../../src/image/formats/heic.ts";
import { type TimeSlice, Thread, UNPAUSED } from "../../../../src/scheduler/time-slice.ts";
import { hevcDecodeHeap } from "../../../../wasm/hevc-decode/decoder.ts";
import { hevcEncodeHeap } from "../../../../wasm/hevc-encode/encoder.ts";
import alpha from "../../../fixtures/heic/alpha.heic";
import grid from "../../../fixtures/heic/grid.heic";
import overlayAlpha from "../../../fixtures/heic/overlay-alpha.heic";
import s420 from "../../../fixtures/heic/s420.heic";
import slices from "../../../fixtures/heic/slices.heic";
import { drain, pictureOf, type Pixels, scene } from "../../../support/rows.ts";

const SETTINGS = { lossless: false, quality: 80, progressive: false, effort: 0.5 };

/** A thread that changes hands whenever work offers to: whoever waits has it before a pause is over. */
function restlessThread(): Thread {
  let now = 0;
  return new Thread(
    () => (now += 1_000),
    async () => undefined,
  );
}

async function decoded(file: ArrayBuffer, timeSlice: TimeSlice): Promise<Pixels> {
  const bytes = new Uint8Array(file);
  const facts = heic.read.factsOf(bytes);
  const { width, height } = facts;
  const demand = { box: { x: 0, y: 0, width, height }, width, height };
  for await (const { rows } of heic.read.open(bytes, facts, demand, timeSlice)) return await drain(rows);
  throw new Error("no frame");
}

function encoded(pixels: Pixels, opaque: boolean, timeSlice: TimeSlice): Promise<Uint8Array> {
  return heic.write.encode(pictureOf([pixels], { opaque }), SETTINGS, timeSlice);
}

type Work = (timeSlice: TimeSlice) => Promise<Pixels | Uint8Array>;

const TOGETHER: readonly (readonly [string, Work, Work])[] = [
  ["two are read", (timeSlice) => decoded(slices, timeSlice), (timeSlice) => decoded(s420, timeSlice)],
  [
    "a grid and an overlay are read",
    (timeSlice) => decoded(grid, timeSlice),
    (timeSlice) => decoded(overlayAlpha, timeSlice),
  ],
  [
    "one is read and one written",
    (timeSlice) => decoded(alpha, timeSlice),
    (timeSlice) => encoded(scene(200, 150), true, timeSlice),
  ],
  [
    "two are written",
    (timeSlice) => encoded(scene(200, 150), true, timeSlice),
    (timeSlice) => encoded(scene(150, 200, false), false, timeSlice),
  ],
];

describe("HEIC pictures, work on which alternates,", () => {
  it.each(TOGETHER)("are what they are one after the other: %s", async (_name, first, second) => {
    const apart = [await first(UNPAUSED), await second(UNPAUSED)];
    const thread = restlessThread();
    let turns = 0;
    const counted = (work: Work) => (timeSlice: TimeSlice) => {
      return work({ spend: (ms) => (turns++, timeSlice.spend(ms)), worked: () => timeSlice.worked() });
    };
    expect(await Promise.all([thread.run(counted(first)), thread.run(counted(second))])).toEqual(apart);
    expect(turns).toBeGreaterThan(8);
    expect(hevcDecodeHeap().used).toBe(0);
    expect(hevcEncodeHeap().used).toBe(0);
  });

  it("are given up in the midst of a call when nobody waits for them any more, and others go on", async () => {
    const pixels = scene(300, 200);
    const works: readonly Work[] = [
      (timeSlice) => decoded(s420, timeSlice),
      (timeSlice) => encoded(pixels, true, timeSlice),
    ];
    for (const work of works) {
      const before = await work(UNPAUSED);
      const gone = new AbortController();
      const thread = restlessThread();
      const aborted = thread.run((timeSlice) => {
        let turns = 0;
        const spend = (ms: number) => {
          if (++turns === 5) gone.abort(new Error("gone"));
          return timeSlice.spend(ms);
        };
        return work({ spend, worked: () => timeSlice.worked() });
      }, gone.signal);
      await expect(aborted).rejects.toThrow("gone");
      expect(await thread.run(work)).toEqual(before);
    }
  });
});
