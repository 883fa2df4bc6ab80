import { describe, expect, it } from "vitest";

import { identify } from "../../src/image/detect.ts";
import { type Orientation, turnSize } from "../../src/image/geometry.ts";
import { planSteps, storedSize, type View } from "../../src/image/plan.ts";
import { viewed, viewPeakBytes } from "../../src/image/view.ts";
import progressive from "../fixtures/jpeg/progressive.jpg";
import jpeg from "../fixtures/jpeg/s420.jpg";
import source from "../fixtures/resample/source-alpha.png";
import lossy from "../fixtures/webp/1-webp-a.webp";
import animated from "../fixtures/webp/animated-blend.webp";
import { drain, type Pixels } from "../support/rows.ts";

function frames(file: ArrayBuffer, view: View, maxTurnBytes: number): Pixels[] {
  const result: Pixels[] = [];
  for (const { rows } of viewed(identify(new Uint8Array(file)), view, maxTurnBytes)) result.push(drain(rows, 7));
  return result;
}

describe("a view that is turned in strips", () => {
  const box = { x: 3, y: 5, width: 61, height: 50 };

  it.each<Orientation>([3, 4, 5, 6, 7, 8])(
    "has the pixels of one that is turned at once: orientation %d",
    (orientation) => {
      for (const file of [source, lossy, jpeg, progressive]) {
        const view: View = { box, orientation };
        const [whole] = frames(file, view, Number.POSITIVE_INFINITY);
        for (const bytes of [1, 2_000, 7_000]) expect(frames(file, view, bytes)).toEqual([whole]);
        expect(whole).toMatchObject(turnSize({ width: 61, height: 50 }, orientation));
      }
    },
  );

  it("can be left at any time", () => {
    const stored = identify(new Uint8Array(source));
    for (const { rows } of viewed(stored, { box, orientation: 6 }, 2_000)) {
      rows.read(3);
      rows.close();
      rows.close();
      expect(rows.read(1)).toBeNull();
    }
  });

  it("is not for animations, which are turned frame by frame", () => {
    const stored = identify(new Uint8Array(animated));
    const { view } = planSteps(storedSize(stored.facts), [{ kind: "turn", orientation: 6 }]);
    expect(frames(animated, view, 1)).toEqual(frames(animated, view, Number.POSITIVE_INFINITY));
  });

  it("bounds what a large picture needs", () => {
    const stored = identify(new Uint8Array(source));
    const view = (width: number): View => ({ box: { x: 0, y: 0, width, height: 4_000 }, orientation: 6 });
    expect(viewPeakBytes(stored, view(6_000))).toBeLessThan(50 << 20);
    expect(viewPeakBytes(stored, view(12_000)) - viewPeakBytes(stored, view(6_000))).toBeLessThan(8 << 20);
  });
});
