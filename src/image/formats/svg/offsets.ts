/** Primitives of filters that move what they are given, and cut it off at a region of their own. */
import { elementsFrom, type SvgElement } from "./tree.ts";

/** The region of a primitive (Filter Effects, section 9.2). */
const REGION = ["x", "y", "width", "height"] as const;

/**
 * Writes the region of every `feOffset` as that of an `feMerge` behind it, whose result takes its name: the renderer
 * moves and does not cut off. Regions in parts of the box of what is filtered stay: the renderer places them elsewhere.
 */
export function cutOffsets(root: SvgElement): void {
  for (const { name, attributes, children } of elementsFrom(root)) {
    if (name !== "filter" || attributes.get("primitiveUnits") === "objectBoundingBox") continue;
    const primitives = children.flatMap((child) =>
      typeof child !== "string" && child.name === "feOffset" ? cut(child) : [child],
    );
    children.splice(0, children.length, ...primitives);
  }
}

/** An offset, and what cuts it off where it has a region. */
function cut(offset: SvgElement): SvgElement[] {
  const { attributes } = offset;
  if (!REGION.some((side) => attributes.has(side))) return [offset];
  const ofMerge = new Map<string, string>();
  for (const key of [...REGION, "result", "color-interpolation-filters"]) {
    const value = attributes.get(key);
    if (value !== undefined) ofMerge.set(key, value);
  }
  for (const key of [...REGION, "result"]) attributes.delete(key);
  const moved: SvgElement = { name: "feMergeNode", attributes: new Map(), children: [] };
  return [offset, { name: "feMerge", attributes: ofMerge, children: [moved] }];
}
