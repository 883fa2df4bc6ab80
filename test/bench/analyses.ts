/**
 * What each analysis takes of a JPEG photograph of 12 megapixels, the decoding of its small version included and not:
 * `PHOTOS=a.jpg npm run bench -- analyses`.
 */
import { readFile } from "node:fs/promises";

import { ANALYSES, type AnalysisName } from "../../src/image/analyses.ts";
import { analyze } from "../../src/image/render/analyze.ts";
import type { Analysis } from "../../src/image/steps/analysis.ts";
import { UNPAUSED } from "../../src/scheduler/time-slice.ts";
import { paint } from "../support/rows.ts";
import type { Bench, Candidate } from "./harness.ts";
import { photoPath, preparePhotos } from "./photos.ts";

const NAMES = Object.keys(ANALYSES) as AnalysisName[];
const PICTURE = { width: 4_000, height: 3_000 };

async function whole(): Promise<Candidate[]> {
  const bytes = new Uint8Array(await readFile(photoPath(12, "baseline")));
  const others = NAMES.filter((name) => name !== "faces" && name !== "focus");
  const each = NAMES.map((name) => ({ name, run: async () => void (await analyze(bytes, [name])) }));
  const both = { name: "faces and focus", run: async () => void (await analyze(bytes, ["faces", "focus"])) };
  return [...each, both, { name: "all others", run: async () => void (await analyze(bytes, others)) }];
}

function alone([name, row]: [string, Analysis]): Candidate {
  const { side } = row;
  const height = Math.round(side * 0.75);
  // Many colors, and edges.
  const { data } = paint(side, height, (x, y) => [(x * 7) & 255, (y * 5) & 255, (x * y) & 255, 255]);
  const small = { width: side, height, pixels: data, opaque: true, picture: PICTURE };
  // A version of its own each time, as it were: faces are sought once in each.
  return { name, run: async () => void (await row.of({ ...small }, UNPAUSED)) };
}

export const benches: readonly Bench[] = [
  { title: "The look alone", candidates: async () => Object.entries<Analysis>(ANALYSES).map(alone) },
  { title: "From a JPEG of 12 megapixels", prepare: preparePhotos, candidates: whole, rounds: 5 },
];
