/** `width=auto`: what a browser says of itself chooses among the widths of the delivery, and makes no others. */
import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { canonicalOf } from "../../src/delivery/canonical.ts";
import { DIALECTS } from "../../src/delivery/dialects.ts";
import { withHintedWidth } from "../../src/delivery/hints.ts";
import { forgetDeliveries } from "../../src/delivery/lookup.ts";
import { identify } from "../../src/image/plan/detect.ts";
import photo from "../fixtures/jpeg/s420.jpg";
import { deliveryWorld, file, originOf, WEBP } from "../support/delivery.ts";

beforeEach(() => forgetDeliveries());
afterEach(() => void vi.restoreAllMocks());

const WIDTHS = [320, 640, 1_280, 2_560];

function chosen(hints: Readonly<Record<string, string>>, options = "w=auto", widths: number[] = WIDTHS) {
  const spelled = DIALECTS.i.split(`/${options}/a.jpg`);
  if (!spelled) throw new Error("no address");
  const delivery = { presets: {}, provenance: "auto" as const, unsigned: { widths } };
  const asked = withHintedWidth(delivery, DIALECTS.i.read(spelled), (name) => hints[name]);
  return canonicalOf(delivery, asked, undefined).processing.resize;
}

it.each([
  [{ "sec-ch-width": "400" }, 640],
  [{ width: "400" }, 640],
  [{ "sec-ch-width": "320" }, 320],
  [{ "sec-ch-width": "321" }, 640],
  [{ "sec-ch-width": "99999" }, 2_560],
  // The width is in pixels of the screen already.
  [{ "sec-ch-width": "600", "sec-ch-dpr": "2" }, 640],
  [{ "sec-ch-width": "1200", "sec-ch-dpr": "2", "save-data": "on" }, 640],
  [{ "sec-ch-width": "600", "save-data": "on" }, 640],
  [{ "viewport-width": "412", dpr: "2.625" }, 1_280],
  [{ "sec-ch-viewport-width": "412", "sec-ch-dpr": "2.625", "save-data": "on" }, 640],
  [{}, 2_560],
  [{ dpr: "2" }, 2_560],
  [{ "sec-ch-width": "-1" }, 2_560],
  [{ "sec-ch-width": "1e3" }, 2_560],
  [{ "sec-ch-width": "0", width: "300" }, 320],
  [{ "sec-ch-width": "400, 500" }, 2_560],
])("of %j the width is %i", (hints, width) => {
  expect(chosen(hints)).toMatchObject({ width, upscale: false });
});

it("is a width like one that the address names, and none where the delivery has no widths", () => {
  const hints = { "sec-ch-width": "400" };
  expect(chosen(hints, "w=auto,h=300,fit=crop,g=left")).toEqual(chosen({}, "w=640,h=300,fit=crop,g=left"));
  expect(chosen(hints, "w=auto,dpr=2")).toEqual(chosen({}, "w=640"));
  expect(chosen(hints, "w=auto", [])).toBeUndefined();
  expect(chosen(hints, "w=500")).toMatchObject({ width: 500 });
  expect(chosen(hints, "-")).toBeUndefined();
});

it("answers with what it depends on, and makes a result for each listed width at most", async () => {
  const { calls } = originOf(file(photo));
  const { get, stored, settle } = await deliveryWorld({ unsigned: { widths: [16, 24] }, refine: false });
  const named = await get("w=24", "a.jpg", { accept: WEBP });
  expect([named.status, named.headers.get("vary"), named.headers.get("accept-ch")]).toEqual([200, "Accept", null]);
  const seen = new Set<number>();
  for (const wanted of [1, 7, 15, 16, 17, 20, 24, 25, 999]) {
    // oxlint-disable-next-line no-await-in-loop -- one after another, as a visitor would try
    const answer = await get("w=auto", "a.jpg", { accept: WEBP, "sec-ch-width": String(wanted), dpr: String(wanted) });
    expect(answer.status).toBe(200);
    const { width } = identify(answer.bytes).facts;
    expect(width).toBe(wanted <= 16 ? 16 : 24);
    seen.add(width);
    expect(answer.headers.get("vary")).toBe(
      "Accept, Sec-CH-Width, Width, Sec-CH-Viewport-Width, Viewport-Width, Sec-CH-DPR, DPR, Save-Data",
    );
    expect(answer.headers.get("accept-ch")).toBe("Sec-CH-Width, Sec-CH-Viewport-Width, Sec-CH-DPR");
  }
  await settle();
  // One of 16 and the one of 24 that was there.
  expect([seen.size, (await stored()).length]).toEqual([2, 2]);
  expect(calls.length).toBeLessThanOrEqual(2);
  const again = await get("w=24", "a.jpg", { accept: WEBP });
  expect([again.headers.get("vary"), again.headers.get("accept-ch")]).toEqual(["Accept", null]);
});
