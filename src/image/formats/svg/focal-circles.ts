/**
 * Radial gradients whose first circle has a size (SVG 2, section 14.2.3): the renderer knows them where that circle lies within the
 * other one, and without rings beyond that.
 */
import { lengthOf } from "./lengths.ts";
import { elementsFrom, linkedId, type SvgElement } from "./tree.ts";
import type { Warnings } from "./warnings.ts";

/** Gradients that others are made of, in a chain. */
const MAX_TEMPLATES = 10;

/** Says whether such gradients are drawn otherwise than a drawing says. */
export function noteFocalCircles(root: SvgElement, warnings: Warnings): void {
  const gradients: SvgElement[] = [];
  for (const element of elementsFrom(root)) if (element.name === "radialGradient") gradients.push(element);
  const named = new Map(gradients.map((gradient) => [gradient.attributes.get("id"), gradient]));
  for (const gradient of gradients) {
    const value = (name: string) => valueOf(name, gradient, named);
    const length = (name: string, otherwise: number) => lengthOf(value(name), 1) ?? otherwise;
    const circle = length("fr", 0);
    if (circle <= 0) continue;
    const [cx, cy] = [length("cx", 0.5), length("cy", 0.5)];
    const [fx, fy] = [length("fx", cx), length("fy", cy)];
    const isWithin = Math.hypot(fx - cx, fy - cy) + circle < length("r", 0.5);
    if (isWithin && /^pad$/i.test(value("spreadMethod") ?? "pad")) continue;
    warnings.add("a radial gradient with fr is drawn with other rings");
  }
}

/** What a gradient says, or one that it is made of. */
function valueOf(
  name: string,
  gradient: SvgElement,
  named: ReadonlyMap<string | undefined, SvgElement>,
): string | undefined {
  let at: SvgElement | undefined = gradient;
  for (let left = MAX_TEMPLATES; at && left > 0; left--) {
    const value = at.attributes.get(name);
    if (value !== undefined) return value;
    at = named.get(linkedId(at));
  }
  return undefined;
}
