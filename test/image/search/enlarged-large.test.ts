/** Large photographs that are enlarged twice: files of what is enlarged are smaller than those of as many pixels. */
import { describe, expect, it } from "vitest";

import { type FormatName, FORMATS } from "../../../src/image/formats.ts";
import { jpeg } from "../../../src/image/formats/jpeg.ts";
import { tiff } from "../../../src/image/formats/tiff.ts";
import { identify } from "../../../src/image/plan/detect.ts";
import { planSteps, storedSize } from "../../../src/image/plan/plan.ts";
import { pictureOf as plannedPicture } from "../../../src/image/plan/planned-picture.ts";
import { estimateOfOptions } from "../../../src/image/search/attempts.ts";
import { UNPAUSED } from "../../../src/scheduler/time-slice.ts";
import { pictureOf, scene } from "../../support/rows.ts";

const [WIDTH, HEIGHT, BAND] = [3_504, 2_432, 38];
/** Of a TIFF of a photograph of this size that is full of detail. */
const HELD_BYTES = 12_950_000;
const SETTINGS = { lossless: false, quality: 80, progressive: false, effort: 0.5 };

/** A photograph of 8.5 megapixels. */
function large() {
  const band = scene(WIDTH, BAND).data;
  const data = new Uint8Array(WIDTH * HEIGHT * 4);
  for (let at = 0; at < data.length; at += band.length) data.set(band, at);
  return pictureOf([{ width: WIDTH, height: HEIGHT, data }]);
}

const picture = large();
const ORIGINALS = {
  jpeg: await jpeg.write.encode(picture, SETTINGS, UNPAUSED),
  tiff: await tiff.write.encode(picture, SETTINGS, UNPAUSED),
};

const resizedTo = (bytes: Uint8Array, width: number) => {
  const stored = { ...identify(bytes), heldBytes: HELD_BYTES };
  const height = Math.round((width * stored.facts.height) / stored.facts.width);
  return { stored, plan: planSteps(storedSize(stored.facts), [{ kind: "resize", width, height, kernel: "lanczos3" }]) };
};

describe.each(["jpeg", "tiff"] as const)("of a %s of 8.5 megapixels", (original) => {
  it.each(["jpeg", "jpeg2000", "png", "gif", "webp", "avif", "heic", "tiff"] satisfies FormatName[])(
    "one of 34 megapixels has a way into %s",
    (name) => {
      const objective = { kind: "smart", preset: "medium", effort: "balanced" } as const;
      const options = { ...resizedTo(ORIGINALS[original], 2 * WIDTH), format: FORMATS[name], objective, isLast: true };
      expect(estimateOfOptions(options)).not.toBeNull();
    },
  );

  it.each([
    [WIDTH / 2, 1],
    [WIDTH, 1],
    [1.5 * WIDTH, 2.25],
    [2 * WIDTH, 4],
  ])("a picture %i pixels wide shows each of its pixels %d times", (width, enlarged) => {
    const { stored, plan } = resizedTo(ORIGINALS[original], width);
    expect(plannedPicture(stored, plan).enlarged).toBeCloseTo(enlarged);
  });
});
