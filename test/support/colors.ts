/** Pictures whose colors are not those of sRGB, and how readers that are not ours show them. */
import { expect, inject } from "vitest";

import { png } from "../../src/image/formats/png.ts";
import { whole } from "../../src/image/pixels/geometry.ts";
import { identify } from "../../src/image/plan/detect.ts";
import type { Output } from "../../src/image/plan/output.ts";
import { UNPAUSED } from "../../src/scheduler/time-slice.ts";
import { rendered } from "./render.ts";
import { drain, paint, pictureOf, type Pixels } from "./rows.ts";

/** How PNG is written without loss. */
export const EXACT = { lossless: true, quality: 100, progressive: false, effort: 0 };

/** Colors all over the space, in patches that lossy formats keep. */
export const PATCHES = paint(96, 64, (x, y) => [(x >> 4) * 51, (y >> 4) * 85, ((x >> 4) * 3 + (y >> 4) * 5) * 9, 255]);

/** A PNG of pixels as they are, with a profile if one is given. */
export function encoded(pixels: Pixels, profile?: Uint8Array): Promise<Uint8Array> {
  const space = profile && { profile, isP3: false };
  return png.write.encode({ ...pictureOf([pixels]), ...(space && { space }) }, EXACT, UNPAUSED);
}

/**
 * What the reader of another make answers to a file.
 * @throws Error with what it says, where it cannot read the file
 */
export async function asked(path: string, file: Uint8Array): Promise<Uint8Array> {
  const response = await fetch(`${inject("reader")}${path}`, { method: "POST", body: file.slice() });
  const body = new Uint8Array(await response.arrayBuffer());
  if (!response.ok) throw new Error(new TextDecoder().decode(body));
  return body;
}

/** How libvips and Little CMS show a file in sRGB. */
export function shown(file: Uint8Array): Promise<Uint8Array> {
  return asked("/pixels", file);
}

/** Values as they are in a file, whatever they mean. */
export async function values(file: Uint8Array): Promise<Uint8Array> {
  const { format, facts } = identify(file);
  const demand = { box: whole(facts), width: facts.width, height: facts.height };
  for await (const { rows } of format.read.open(file, facts, demand, UNPAUSED)) return (await drain(rows)).data;
  throw new Error("no frame");
}

/** The largest difference of two pictures, in levels. */
export function largestDifference(one: Uint8Array, other: Uint8Array): number {
  expect(one.length).toBe(other.length);
  return one.reduce((most, level, at) => Math.max(most, Math.abs(level - (other[at] ?? 0))), 0);
}

/** The mean difference of two pictures, in levels. */
export function meanDifference(one: Uint8Array, other: Uint8Array): number {
  expect(one.length).toBe(other.length);
  return one.reduce((sum, level, at) => sum + Math.abs(level - (other[at] ?? 0)), 0) / one.length;
}

/** The profile of a file; undefined where it has none. */
export function profileIn(file: Uint8Array): Uint8Array | undefined {
  return identify(file).facts.profile;
}

/** The file that a request makes. */
export async function result(file: Uint8Array, output: Output, more: Parameters<typeof rendered>[1] = {}) {
  const { bytes } = (await rendered(file, { output, ...more })).output;
  return bytes;
}
