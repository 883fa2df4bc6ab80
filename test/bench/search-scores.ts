/** How alike renditions look to an original, by the reference tool where there is one, or by the engine's own score. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import sharp from "sharp";

import type { FormatDefinition } from "../../src/image/codec/format.ts";
import { FORMATS } from "../../src/image/formats.ts";
import type { Rows } from "../../src/image/pixels/rows.ts";
import { decoded } from "../../src/image/search/probe.ts";
import { UNPAUSED } from "../../src/scheduler/time-slice.ts";
import { scoreRows } from "../support/scores.ts";

export interface Scorer {
  /** The score of a file that the engine reads. */
  readonly ofFile: (file: Uint8Array, format: FormatDefinition) => Promise<number>;
  /** The score of a file that sharp wrote. */
  readonly ofBaseline: (file: Buffer) => Promise<number>;
  readonly close: () => void;
}

/** @param tool the path of the reference tool */
export function scorer(original: Buffer, tool: string | undefined): Scorer {
  const ofShown = tool ? byTool(original, tool) : byEngine(original);
  return {
    ofFile: async (file, format) => ofShown.score(await png(await decoded(format, file, UNPAUSED))),
    ofBaseline: async (file) => ofShown.score(await sharp(file).png({ compressionLevel: 1 }).toBuffer()),
    close: ofShown.close,
  };
}

function byEngine(original: Buffer) {
  const rows = (file: Buffer) => decoded(FORMATS.png, new Uint8Array(file), UNPAUSED);
  return {
    score: async (shown: Buffer) => scoreRows(await rows(original), await rows(shown), UNPAUSED),
    close: () => undefined,
  };
}

function byTool(original: Buffer, tool: string) {
  const folder = mkdtempSync(join(tmpdir(), "search-"));
  const paths = [join(folder, "original.png"), join(folder, "shown.png")] as const;
  writeFileSync(paths[0], original);
  return {
    score: async (shown: Buffer) => {
      writeFileSync(paths[1], shown);
      return Number(execFileSync(tool, paths, { encoding: "utf8" }));
    },
    close: () => rmSync(folder, { recursive: true }),
  };
}

async function png(rows: Rows): Promise<Buffer> {
  const pixels = new Uint8Array(rows.width * rows.height * 4);
  let at = 0;
  for (let band = await rows.read(16); band; band = await rows.read(16)) {
    pixels.set(band, at);
    at += band.length;
  }
  rows.close();
  const shown = sharp(pixels, { raw: { width: rows.width, height: rows.height, channels: 4 } });
  return (rows.opaque ? shown.removeAlpha() : shown).png({ compressionLevel: 1 }).toBuffer();
}
