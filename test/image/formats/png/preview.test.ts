/** What a rendition shows is known before it is written. */
import { describe, expect, it } from "vitest";

import { png } from "../../../../src/image/formats/png.ts";
import { UNPAUSED } from "../../../../src/scheduler/time-slice.ts";
import { decoded } from "../../../support/operations.ts";
import { drain, paint, pictureOf, type Pixels, scene } from "../../../support/rows.ts";

const SETTINGS = { lossless: false, progressive: false, effort: 0.3, quality: 80 } as const;
const QUALITIES = [97, 85, 70, 45, 20] as const;

const soft = scene(90, 70, false);

describe.each(["colors", "levels", "nothing"] as const)("a picture that loses %s", (loss) => {
  it.each(QUALITIES)("shows at quality %i what its file shows, a probe or not", async (quality) => {
    for (const probe of [true, false]) {
      const study = png.write.study(pictureOf([soft], { opaque: false }));
      const settings = { ...SETTINGS, quality, loss, probe };
      const preview = async () => drain(await (await study.preview(settings, UNPAUSED)).open(UNPAUSED));
      const shown = await preview();
      expect((await preview()).data).toEqual(shown.data);
      const visible = ({ data }: Pixels) => data.map((value, at) => (data[at | 3] ? value : 0));
      expect(visible(await decoded(await study.encode(settings, UNPAUSED)))).toEqual(visible(shown));
    }
  });

  it("suffers less the higher the quality", async () => {
    const study = png.write.study(pictureOf([soft], { opaque: false }));
    const distortions: number[] = [];
    for (const quality of QUALITIES) {
      distortions.push((await study.preview({ ...SETTINGS, quality, loss }, UNPAUSED)).distortion);
    }
    expect(distortions).toEqual(distortions.toSorted((one, other) => one - other));
  });
});

describe("few colors", () => {
  const few = paint(60, 40, (x, y) => [(x >> 3) * 30, (y >> 3) * 50, 7, 255]);
  const at = (quality: number) =>
    png.write.study(pictureOf([few])).preview({ ...SETTINGS, quality, loss: "colors" }, UNPAUSED);

  it("are exact where the palette has room for all, whatever the quality", async () => {
    const best = await at(97);
    expect(best).toMatchObject({ exact: true, distortion: 0 });
    expect(best.key).toBe((await at(90)).key);
    expect((await drain(await (await at(90)).open(UNPAUSED))).data).toEqual(few.data);
  });

  it("are not where it has not", async () => {
    const worst = await at(20);
    expect(worst).toMatchObject({ exact: false });
    expect(worst.distortion).toBeGreaterThan(0);
    expect(worst.key).not.toBe((await at(45)).key);
  });
});

describe("a study", () => {
  it("writes what the writer writes, whatever it was asked before", async () => {
    const picture = pictureOf([soft], { opaque: false });
    const study = png.write.study(picture);
    for (const [quality, loss] of [
      [80, "colors"],
      [45, "levels"],
      [80, undefined],
      [80, "colors"],
    ] as const) {
      const settings = { ...SETTINGS, quality, ...(loss && { loss }) };
      expect(await study.encode(settings, UNPAUSED)).toEqual(await png.write.encode(picture, settings, UNPAUSED));
    }
  });
});
