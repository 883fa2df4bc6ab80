/** Reading and writing of every format in sizes that are asked for, as jobs whose memory is looked at. */
import * as v from "valibot";

import type { FormatDefinition } from "../../src/image/codec/format.ts";
import { type FormatName, FORMATS } from "../../src/image/formats.ts";
import { OPERATIONS } from "../../src/image/operations.ts";
import type { Size } from "../../src/image/pixels/geometry.ts";
import { render } from "../../src/image/render/render.ts";
import { encodeSettings } from "../../src/image/search/presets.ts";
import { SharedBytes } from "../../src/scheduler/shared-bytes.ts";
import { pictureOf, type Pixels } from "../support/rows.ts";
import { bitmapFile, photoshopFile } from "./estimate-files.ts";
import { reading, request, writing } from "./estimate-parts.ts";
import { fileOf, moving, PAGE, part, PHOTO, pixelsIn, softened } from "./estimate-pictures.ts";
import type { Job } from "./estimate-watch.ts";

const WRITABLE = (Object.entries(FORMATS) as [FormatName, FormatDefinition][]).filter(
  ([, { write, can }]) => write && !can.movesAlone,
);

/** Pixels that no coder makes anything of. */
function noise({ width, height }: Size): Pixels {
  const data = new Uint8Array(width * height * 4);
  let state = 1;
  for (let at = 0; at < data.length; at++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    data[at] = at % 4 === 3 ? 255 : state >>> 24;
  }
  return { width, height, data };
}

/** Three widths in WebP and JPEG, of one file. */
function set(name: string, file: Uint8Array): Job {
  const entries = [400, 800, 1_200].flatMap((width) =>
    (["webp", "jpeg"] as const).map((format) => ({
      name: `${width}.${format}`,
      operations: { resize: v.parse(OPERATIONS.resize.params, { width }) },
      output: { format },
      optimize: undefined,
      analyze: undefined,
    })),
  );
  const common = { operations: {}, analyze: undefined, overlays: new Map<string, Uint8Array>(), accept: undefined };
  const order = { ...common, entries: () => entries, refusalOf: (_entry: unknown, error: unknown) => error };
  return { name, run: () => render(SharedBytes.of(file.slice()), order, () => undefined) };
}

export async function* heldJobs(sizes: readonly number[], isWanted: (name: string) => boolean): AsyncGenerator<Job> {
  const photo = await pixelsIn(PHOTO);
  const soft = await softened(photo);
  const page = await pixelsIn(PAGE);
  for (const megapixels of sizes) {
    const height = Math.round(Math.sqrt((megapixels * 1e6 * 3) / 4));
    const size = { width: Math.round((height * 4) / 3), height };
    const pictures = { photo: part(megapixels > 1 ? soft : photo, size), page: part(page, size), noise: noise(size) };
    for (const [what, pixels] of Object.entries(pictures)) {
      const picture = pictureOf([pixels]);
      for (const [to, format] of WRITABLE) {
        const ways = [
          ...(format.can.quality ? [{ how: "quality 80", objective: { kind: "quality", quality: 80 } as const }] : []),
          ...(format.can.lossless ? [{ how: "exactly", objective: { kind: "lossless" } as const }] : []),
        ];
        for (const { how, objective } of ways) {
          const name = `${to} ${how}, ${what} of ${megapixels} MP`;
          const settings = encodeSettings(objective, format, false);
          if (isWanted(`write: ${name}`)) yield writing(`write: ${name}`, to, picture, settings);
          if (!isWanted(`read: ${name}`)) continue;
          const file = await fileOf(to, picture, settings).catch((error: unknown) => {
            console.log(name, String(error).slice(0, 90));
            return undefined;
          });
          if (!file) continue;
          yield reading(`read: ${name}`, file);
          yield reading(`read: ${name}, a fourth`, file, 4);
        }
      }
      const from = bitmapFile(pixels);
      for (const to of ["jpeg", "webp", "png", "gif", "avif"] as const) {
        const name = `search: ${to}, ${what} of ${megapixels} MP`;
        if (isWanted(name)) yield request(name, from, { to });
      }
      const six = `set: six of a JPEG, ${what} of ${megapixels} MP`;
      if (isWanted(six)) yield set(six, await fileOf("jpeg", picture, { quality: 90 }));
      const psd = `read: psd, ${what} of ${megapixels} MP`;
      if (isWanted(psd)) yield reading(psd, photoshopFile(pixels, { mode: "rgb", depth: 8 }));
      const bmp = `read: bmp, ${what} of ${megapixels} MP`;
      if (isWanted(bmp)) yield reading(bmp, from);
      if (megapixels > 4) continue;
      for (const to of ["gif", "webp", "png", "avif"] as const) {
        const film = moving(what === "photo" ? soft : page, size, 4, true);
        const name = `${to} of 4 frames, ${what} of ${megapixels} MP`;
        const settings = encodeSettings({ kind: "quality", quality: 80 }, FORMATS[to], true);
        if (isWanted(`write: ${name}`)) yield writing(`write: ${name}`, to, film, settings);
        if (isWanted(`read: ${name}`)) yield reading(`read: ${name}`, await fileOf(to, film, settings));
      }
    }
  }
}
