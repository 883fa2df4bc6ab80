/** AVIF sequences, small and large: films and drawings, with and without alpha, as jobs for the bench of estimates. */
import { changesOf, detailOf } from "../../src/image/codec/complexity.ts";
import { FORMATS } from "../../src/image/formats.ts";
import type { Picture } from "../../src/image/pixels/picture.ts";
import { identify } from "../../src/image/plan/detect.ts";
import type { Objective } from "../../src/image/plan/output.ts";
import { encodeSettings } from "../../src/image/search/presets.ts";
import type { Pixels } from "../support/rows.ts";
import { reading, request, writing } from "./estimate-parts.ts";
import { fileOf, grainy, moving } from "./estimate-pictures.ts";
import type { Job } from "./estimate-watch.ts";

const TINY = { size: { width: 96, height: 64 }, frames: 20 };
const SMALL = { size: { width: 320, height: 240 }, frames: 12 };
const LARGE = { size: { width: 800, height: 600 }, frames: 5 };

const OBJECTIVES: Readonly<Record<string, Objective>> = {
  "at quality 80": { kind: "quality", quality: 80 },
  "at quality 95": { kind: "quality", quality: 95 },
  exactly: { kind: "lossless" },
};

/** Writing them at a quality and without loss, reading them, and from another animation by search. */
export async function* sequences(material: {
  readonly photo: Pixels;
  readonly page: Pixels;
  readonly glass: Pixels;
}): AsyncGenerator<Job, void> {
  const { photo, page, glass } = material;
  for (const [what, { size, frames }] of Object.entries({ tiny: TINY, small: SMALL, large: LARGE })) {
    const pictures: Readonly<Record<string, Picture>> = {
      "a film": moving(photo, size, frames, true),
      "a film with grain": grainy(moving(photo, size, frames, true)),
      "a spot on a photograph": moving(photo, size, frames, false),
      "a spot on a page": moving(page, size, frames, false),
      "a film with alpha": moving(glass, size, frames, true, false),
    };
    for (const [of, picture] of Object.entries(pictures)) yield* jobsOf(`${what}, ${of}`, picture);
  }
}

async function* jobsOf(what: string, pixels: Picture): AsyncGenerator<Job, void> {
  const file = await fileOf("png", pixels, { lossless: true, quality: 100 });
  const { facts } = identify(file);
  // What a file says of itself is what estimates go by.
  const picture = { ...pixels, changes: changesOf(facts, facts), detail: detailOf(facts, facts) };
  for (const [how, objective] of Object.entries(OBJECTIVES)) {
    yield writing(`sequence: written ${how}, ${what}`, "avif", picture, encodeSettings(objective, FORMATS.avif, true));
  }
  yield reading(`sequence: read, ${what}`, await fileOf("avif", picture));
  yield request(`sequence: by search, ${what}`, file, { to: "avif" });
}
