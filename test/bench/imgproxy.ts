/**
 * `IMAGES="folder" npm run bench -- imgproxy`: the tables of imgproxy's own tests, answered by the dialect and the engine
 * here and put beside its stored hashes. The folder is a copy of imgproxy/imgproxy with imgproxy/test-images in
 * `testdata/test-images`; ONLY="a pattern" chooses among the hashes' paths. With SHEETS="folder" what differs is written
 * there to be looked at. libvips's command must be installed.
 *
 * Two kinds of hashes are stored: of all pixels (SHA-256), which only what is not resampled can meet, and of the lowest
 * 8 x 8 frequencies of L, a and b, which are alike where the mean of their squared differences is at most 0.5, as in
 * imgproxy's tests. Of the first kind the size counts, and equal pixels are counted besides. Formats are asked for with the
 * quality 100: what is compared is the picture, not how much an encoder loses.
 */
import { createHash } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { canonicalOf } from "../../src/delivery/canonical.ts";
import { imgproxy } from "../../src/delivery/dialects/imgproxy.ts";
import { ApiError } from "../../src/errors.ts";
import { identify } from "../../src/image/plan/detect.ts";
import { UNPAUSED } from "../../src/scheduler/time-slice.ts";
import { rendered } from "../support/render.ts";
import { drain, type Pixels } from "../support/rows.ts";
import { given } from "./given.ts";
import { type Case, matrix, tables } from "./imgproxy-cases.ts";
import { distanceOf, hashOf } from "./imgproxy-hash.ts";

/** imgproxy's own bound. */
const MAX_DISTANCE = 0.5;
const SHA_BYTES = 33;

interface Row {
  tried: number;
  refused: number;
  alike: number;
  equal: number;
}

export async function main(): Promise<void> {
  const [folder] = given("IMAGES");
  const sheets = process.env["SHEETS"];
  if (sheets) await mkdir(sheets, { recursive: true });
  const rows = new Map<string, Row>();
  const only = new RegExp(process.env["ONLY"] ?? "");
  const cases = [...(await tables(folder)), ...(await matrix(folder))];
  for (const one of cases.filter(({ hash }) => only.test(hash))) {
    const row = rows.get(one.suite) ?? { tried: 0, refused: 0, alike: 0, equal: 0 };
    rows.set(one.suite, row);
    row.tried++;
    const found = await judged(folder, one);
    if (found.refused !== undefined) row.refused++;
    if (found.isAlike) row.alike++;
    if (found.isEqual) row.equal++;
    if (!found.isAlike) console.log(`${one.suite}: ${one.options} of ${one.source}: ${found.why}`);
    if (!found.isAlike && found.bytes && sheets) {
      await writeFile(join(sheets, one.hash.replaceAll(/[/:]/g, "_").replace(/\.hash$/, ".png")), found.bytes);
    }
  }
  console.log("\nsuite                          tried  refused  alike  same pixels");
  const total = { tried: 0, refused: 0, alike: 0, equal: 0 };
  for (const [suite, row] of rows) {
    console.log(line(suite, row));
    for (const key of ["tried", "refused", "alike", "equal"] as const) total[key] += row[key];
  }
  console.log(line("all", total));
  console.log(`${((100 * total.alike) / (total.tried - total.refused)).toFixed(1)} % of what is accepted is alike`);
}

function line(name: string, { tried, refused, alike, equal }: Row): string {
  return `${name.padEnd(30)} ${String(tried).padStart(5)} ${String(refused).padStart(8)} ${String(alike).padStart(6)} ${String(equal).padStart(12)}`;
}

interface Judged {
  readonly refused?: string | undefined;
  readonly isAlike: boolean;
  readonly isEqual: boolean;
  readonly why: string;
  readonly bytes?: Uint8Array;
}

async function judged(folder: string, { hash, source, options, size }: Case): Promise<Judged> {
  const stored = await readFile(join(folder, "testdata/test-hashes", hash));
  const isSha = stored.length === SHA_BYTES;
  let bytes: Uint8Array;
  try {
    const spelled = imgproxy.split(`/unsafe/${options === "" ? "" : `${options}/`}plain/local:///${source}`);
    if (!spelled) throw new Error("no address");
    const { output, optimize, ...operations } = canonicalOf(
      { presets: {}, provenance: "auto" },
      imgproxy.read(spelled),
      undefined,
    ).processing;
    const original = new Uint8Array(await readFile(join(folder, "testdata", source)));
    const isOpen = output?.format === undefined || output.format === "auto";
    const exact = { output: { ...output, format: "png" as const }, optimize: { lossless: true } };
    const asked = isOpen || (isSha && output?.format === "png") ? exact : { output, optimize };
    ({ bytes } = (await rendered(original, { operations, ...asked })).output);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { refused: error.message, isAlike: false, isEqual: false, why: error.message };
  }
  const seen = await rendered(bytes, { output: { format: "png" }, optimize: { lossless: true } });
  const pixels = await pixelsOf(seen.output.bytes);
  if (isSha) {
    const isEqual = createHash("sha256").update(pixels.data).digest().equals(stored.subarray(1));
    const isAlike = size === undefined ? isEqual : size[0] === pixels.width && size[1] === pixels.height;
    const why = `${pixels.width} x ${pixels.height}, not ${size?.join(" x ") ?? "the same pixels"}`;
    return { isAlike, isEqual, why, bytes: seen.output.bytes };
  }
  const wanted = new Float32Array(stored.buffer.slice(stored.byteOffset + 3, stored.byteOffset + stored.length));
  const distance = distanceOf(await hashOf(seen.output.bytes, pixels), wanted);
  return {
    isAlike: distance <= MAX_DISTANCE,
    isEqual: false,
    why: `distance ${distance.toFixed(2)}`,
    bytes: seen.output.bytes,
  };
}

async function pixelsOf(bytes: Uint8Array): Promise<Pixels> {
  const { format, facts } = identify(bytes);
  const { width, height } = facts;
  const demand = { box: { x: 0, y: 0, width, height }, width, height };
  for await (const { rows } of format.read.open(bytes, facts, demand, UNPAUSED)) {
    return await drain(rows);
  }
  throw new Error("no frame");
}
