/** Faces marked by hand in photographs: faces.tsv. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { type Box, sharedParts } from "../../src/image/pixels/geometry.ts";

/** What a box and a marked face share at least, of their union, when the box shows the face. */
const MIN_OVERLAP = 0.35;

export interface Face extends Box {
  /** Frontal or moderately turned, and seen whole. */
  readonly clear: boolean;
}

export interface Marked {
  readonly faces: readonly Face[];
  /** Parts in which what is found counts neither way. */
  readonly ignored: readonly Box[];
}

/** What is marked in each picture, by its name. */
export function marks(): Map<string, Marked> {
  const marked = new Map<string, { faces: Face[]; ignored: Box[] }>();
  const lines = readFileSync(join(import.meta.dirname, "faces.tsv"), "utf8").split("\n");
  for (const line of lines.filter((text) => /\t(?:clear|hard|ignored)$/.test(text))) {
    const [name = "", x, y, width, height, kind] = line.split("\t");
    const box = { x: Number(x), y: Number(y), width: Number(width), height: Number(height) };
    const { faces, ignored } = marked.get(name) ?? { faces: [], ignored: [] };
    if (kind === "ignored") ignored.push(box);
    else faces.push({ ...box, clear: kind === "clear" });
    marked.set(name, { faces, ignored });
  }
  return marked;
}

/** Whether a box shows neither a marked face nor anything in a part that does not count. */
export function isWrong({ faces, ignored }: Marked, box: Box): boolean {
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  const isIn = (part: Box) => x >= part.x && x <= part.x + part.width && y >= part.y && y <= part.y + part.height;
  return !best(faces, box) && !ignored.some(isIn);
}

/** The marked face that a box covers best, if it covers one. */
export function best(faces: readonly Face[], box: Box): Face | undefined {
  const [first] = faces
    .map((face) => ({ face, overlap: sharedParts(face, box).ofUnion }))
    .filter((pair) => pair.overlap >= MIN_OVERLAP)
    .toSorted((a, b) => b.overlap - a.overlap);
  return first?.face;
}
