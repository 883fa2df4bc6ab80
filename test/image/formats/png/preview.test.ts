/** What a rendition shows is known before it is written. */
import { describe, expect, it } from "vitest";

import { png } from "../../../../src/image/formats/png.ts";
import { decoded } from "../../../support/operations.ts";
import { drain, paint, pictureOf, type Pixels, scene } from "../../../support/rows.ts";

const SETTINGS = { lossless: false, progressive: false, effort: 0.3, quality: 80 } as const;
const QUALITIES = [97, 85, 70, 45, 20] as const;

const soft = scene(90, 70, false);

describe.each(["colors", "levels", "nothing"] as const)("a picture that loses %s", (loss) => {
  it.each(QUALITIES)("shows at quality %i what its file shows, a trial or not", (quality) => {
    for (const trial of [true, false]) {
      const picture = pictureOf([soft], { opaque: false });
      const settings = { ...SETTINGS, quality, loss, trial };
      const shown = drain(png.preview(picture, settings).open());
      expect(drain(png.preview(picture, settings).open()).data).toEqual(shown.data);
      const visible = ({ data }: Pixels) => data.map((value, at) => (data[at | 3] ? value : 0));
      expect(visible(decoded(png.encode(picture, settings)))).toEqual(visible(shown));
    }
  });

  it("suffers less the higher the quality", () => {
    const picture = pictureOf([soft], { opaque: false });
    const damages = QUALITIES.map((quality) => png.preview(picture, { ...SETTINGS, quality, loss }).damage);
    expect(damages).toEqual(damages.toSorted((one, other) => one - other));
  });
});

describe("few colors", () => {
  const few = paint(60, 40, (x, y) => [(x >> 3) * 30, (y >> 3) * 50, 7, 255]);
  const at = (quality: number) => png.preview(pictureOf([few]), { ...SETTINGS, quality, loss: "colors" });

  it("are exact where the palette has room for all, whatever the quality", () => {
    expect(at(97)).toMatchObject({ exact: true, damage: 0 });
    expect(at(97).key).toBe(at(90).key);
    expect(drain(at(90).open()).data).toEqual(few.data);
  });

  it("are not where it has not", () => {
    expect(at(20)).toMatchObject({ exact: false });
    expect(at(20).damage).toBeGreaterThan(0);
    expect(at(20).key).not.toBe(at(45).key);
  });
});
