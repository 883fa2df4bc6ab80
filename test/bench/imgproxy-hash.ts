/** The perceptual hash that imgproxy's tests store. */
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

import type { Pixels } from "../support/rows.ts";

const FREQUENCIES = 8;
const HASHED_SIDE = 64;

const run = promisify(execFile);

/** The mean of squared differences; of a gray picture's hash L alone is stored. */
export function distanceOf(own: Float64Array, wanted: Float32Array): number {
  let sum = 0;
  for (const [at, value] of wanted.entries()) sum += (value - (own[at] ?? 0)) ** 2;
  return sum / wanted.length;
}

/**
 * The lowest frequencies of L, a and b of a picture of at most 64 x 64, on magenta, as `testutil/dct2.c` has them of
 * libvips, whose command is called.
 */
export async function hashOf(png: Uint8Array, { width, height, data }: Pixels): Promise<Float64Array> {
  const folder = await mkdtemp(join(tmpdir(), "hash-"));
  try {
    const path = (name: string) => join(folder, name);
    const vips = (...words: string[]) => run("vips", words);
    const [across, down] = [Math.min(HASHED_SIDE, width), Math.min(HASHED_SIDE, height)];
    await writeFile(path("a.png"), png);
    await vips("colourspace", path("a.png"), path("b.v"), "scrgb");
    const scales = [String(across / width), "--vscale", String(down / height)];
    await vips("resize", path("b.v"), path("c.v"), ...scales, "--kernel", "lanczos3");
    const isOpaque = data.every((value, at) => at % 4 !== 3 || value === 255);
    const { stdout: bands } = await run("vipsheader", ["-f", "bands", path("c.v")]);
    if (Number(bands) % 2 === 0) await vips("flatten", path("c.v"), path("d.v"), "--background", "1 0 1");
    else if (!isOpaque) throw new Error("alpha was lost");
    await vips("colourspace", path(Number(bands) % 2 === 0 ? "d.v" : "c.v"), path("e.v"), "lab");
    await vips("rawsave", path("e.v"), path("f.raw"));
    const raw = await readFile(path("f.raw"));
    return frequencies(new Float32Array(raw.buffer.slice(raw.byteOffset, raw.byteOffset + raw.length)), across, down);
  } finally {
    await rm(folder, { recursive: true });
  }
}

function frequencies(lab: Float32Array, across: number, down: number): Float64Array {
  const count = across * down;
  const bands = lab.length / count;
  const hash = new Float64Array(bands * FREQUENCIES ** 2);
  for (let band = 0; band < bands; band++) {
    for (let v = 0; v < FREQUENCIES; v++) {
      for (let u = 0; u < FREQUENCIES; u++) {
        let sum = 0;
        for (let at = 0; at < count; at++) {
          const [x, y] = [at % across, Math.floor(at / across)];
          sum +=
            (lab[at * bands + band] ?? 0) *
            Math.cos(((2 * x + 1) * u * Math.PI) / (2 * across)) *
            Math.cos(((2 * y + 1) * v * Math.PI) / (2 * down));
        }
        const scale = Math.sqrt((u ? 2 : 1) / across) * Math.sqrt((v ? 2 : 1) / down);
        hash[band * FREQUENCIES ** 2 + v * FREQUENCIES + u] = sum * scale;
      }
    }
  }
  return hash;
}
