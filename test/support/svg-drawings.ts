/** Drawings of 40 by 40 pixels, and what is at single places of them. */
import { expect } from "vitest";

import { svg } from "../../src/image/formats/svg.ts";
import { decodeFile } from "./files.ts";

export const GREEN = [0, 128, 0, 255];
export const RED = [255, 0, 0, 255];
export const NOTHING = [0, 0, 0, 0];
/** What fills a drawing, and may be styled by its class or its id. */
export const SQUARE = '<rect width="40" height="40" class="c" id="i"/>';

export type Place = readonly [x: number, y: number, color: readonly number[]];
/** By what each has. */
export type Drawings = Readonly<Record<string, readonly [body: string, ...places: Place[]]>>;

/** The pixels of a body. @param more attributes of the whole */
export function drawn(body: string, more = "", width = 40): ReturnType<typeof decodeFile> {
  const text = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="40"${more}>${body}</svg>`;
  return decodeFile(svg, new TextEncoder().encode(text));
}

/** Draws a body and compares single pixels. */
export async function expectPlaces(body: string, places: readonly Place[], more = ""): Promise<void> {
  const { data, width } = await drawn(body, more);
  for (const [x, y, color] of places) {
    const at = (y * width + x) * 4;
    expect([...data.subarray(at, at + 4)], `at ${x}, ${y}`).toEqual(color);
  }
}
