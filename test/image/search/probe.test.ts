/** How renditions of pictures with alpha are looked at: on one background, and at the end on all of them. */
import { expect, it, vi } from "vitest";

import { png } from "../../../src/image/formats/png.ts";
import { firstFrame } from "../../../src/image/pixels/picture.ts";
import type { Rows } from "../../../src/image/pixels/rows.ts";
import { Judge } from "../../../src/image/search/probe.ts";
import type { Judgement } from "../../../src/image/search/second-opinion.ts";
import { UNPAUSED } from "../../../src/scheduler/time-slice.ts";
import { pictureOf, scene } from "../../support/rows.ts";

const [DARK, LIGHT] = [0.1, 0.9];

it("looks first at where a rendition that was made sure of looked worst", async () => {
  const picture = pictureOf([scene(40, 30, false)]);
  const scores = [
    { dark: 80, light: 75 },
    { dark: 70, light: 76 },
    { dark: 77, light: 78 },
  ];
  let shown = 0;
  const judge = vi.fn<(rendition: Rows, background?: number) => Promise<Judgement>>(async (_rendition, background) => {
    const points = scores[shown]?.[background === DARK ? "dark" : "light"] ?? Number.NaN;
    return { points, score: points + 10 };
  });
  const look = new Judge(png, { opaque: false, space: undefined }, judge, UNPAUSED);
  const probe = (index: number) => {
    const open = (timeSlice: typeof UNPAUSED) => firstFrame(picture, timeSlice);
    const made = look.previewed(50, { key: `${index}`, exact: false, distortion: 20, open }, () => Promise.reject());
    return { score: () => ((shown = index), made.score()), confirm: () => ((shown = index), made.confirm()) };
  };
  expect(await probe(0).score()).toBe(75);
  const second = probe(1);
  expect(await second.score()).toBe(76);
  expect(await second.confirm()).toBe(false);
  expect(await second.score()).toBe(70);
  const third = probe(2);
  expect(await third.score()).toBe(77);
  expect(await third.confirm()).toBe(true);
  expect(judge.mock.calls.map(([, background]) => background)).toEqual([DARK, LIGHT, LIGHT, DARK, DARK, LIGHT]);
});
