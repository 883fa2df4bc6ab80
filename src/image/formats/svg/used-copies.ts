/**
 * Copies of what is used where other variables hold: within an element that is used, variables are those of the element
 * that uses it (SVG 2, section 5.5), and the renderer knows none.
 */
import type { Placed } from "./placed.ts";
import { hrefOf, type SvgElement } from "./tree.ts";

/** Elements that copies may have in all; what is beyond them is drawn with the variables where it stands. */
const MAX_COPIES = 2_000;

/**
 * Gives uses their own copies, which are put at the end of the drawing.
 * @param all elements with their variables; those of copies are added
 * @param work works out the style of an element that was added
 */
export function copyUsed(root: SvgElement, all: Placed[], work: (placed: Placed) => void): void {
  const named = new Map<string, Placed>();
  for (const placed of all) {
    const id = placed.element.attributes.get("id");
    if (id !== undefined && !named.has(id)) named.set(id, placed);
  }
  const copies: SvgElement[] = [];
  let left = MAX_COPIES;
  const copy = (placed: Placed, parent: Placed): Placed => {
    const element: SvgElement = {
      name: placed.element.name,
      attributes: new Map(placed.element.attributes),
      children: [],
    };
    // Selectors see the place of the original.
    const made: Placed = { ...placed, element, parent };
    all.push(made);
    work(made);
    left--;
    const inner = placed.children.map((child) => copy(child, made).element);
    let next = 0;
    for (const child of placed.element.children)
      element.children.push(typeof child === "string" ? child : inner[next++]!);
    return made;
  };
  // The list grows by the uses within copies.
  for (const user of all) {
    if (user.element.name !== "use") continue;
    const used = named.get((hrefOf(user.element) ?? "").slice(1));
    if (!used?.parent || used.parent.variables === user.variables || countOf(used) > left) continue;
    const start = all.length;
    const { element } = copy(used, { ...used.parent, variables: user.variables, color: user.color });
    for (const { element: within } of all.slice(start)) within.attributes.delete("id");
    const id = `used-${copies.length}-of-the-renderer`;
    element.attributes.set("id", id);
    copies.push(element);
    user.element.attributes.delete("xlink:href");
    user.element.attributes.set("href", `#${id}`);
  }
  if (copies.length > 0) root.children.push({ name: "defs", attributes: new Map(), children: copies });
}

function countOf({ children }: Placed): number {
  return children.reduce((sum, child) => sum + countOf(child), 1);
}
