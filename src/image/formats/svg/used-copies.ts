/**
 * Copies of what is used where it looks otherwise than where it stands: within an element that is used, variables are those of the
 * element that uses it, and selectors see nothing of what is around the used one (SVG 2, section 5.5). The renderer knows neither.
 */
import type { Placed } from "./placed.ts";
import type { StyleRules } from "./style-rules.ts";
import { linkedId, type SvgElement } from "./tree.ts";
import type { Variables } from "./variables.ts";

/** Elements that copies may have in all; what is beyond them is drawn as it is where it stands. */
const MAX_COPIES = 2_000;

/** A copy that several uses may have, for in all of them it looks the same. */
interface Copy {
  readonly variables: Variables | undefined;
  readonly color: string | undefined;
  readonly id: string;
}

/**
 * Gives uses their own copies, which are put at the end of the drawing.
 * @param all elements with their variables; those of copies are added
 * @param work works out the style of an element that was added
 */
export function copyUsed(root: SvgElement, all: Placed[], styles: StyleRules, work: (placed: Placed) => void): void {
  new Copier(root, all, styles, work).run();
}

class Copier {
  private readonly named = new Map<string, Placed>();
  private readonly copies = new Map<Placed, Copy[]>();
  /** Whether rules say something else of what is used without what is around it. */
  private readonly restyled = new Map<Placed, boolean>();
  private readonly made: SvgElement[] = [];
  private left = MAX_COPIES;
  private comparedLeft = MAX_COPIES;
  private readonly root: SvgElement;
  private readonly all: Placed[];
  private readonly styles: StyleRules;
  private readonly work: (placed: Placed) => void;

  constructor(root: SvgElement, all: Placed[], styles: StyleRules, work: (placed: Placed) => void) {
    this.root = root;
    this.all = all;
    this.styles = styles;
    this.work = work;
    for (const placed of all) {
      const id = placed.element.attributes.get("id");
      if (id !== undefined && !this.named.has(id)) this.named.set(id, placed);
    }
  }

  run(): void {
    // The list grows by the uses within copies.
    for (const user of this.all) {
      if (user.element.name !== "use") continue;
      const used = this.named.get(linkedId(user.element));
      if (!used?.parent) continue;
      const isSame = used.parent.variables === user.variables && !this.isRestyled(used);
      const id = isSame ? undefined : this.copyFor(used, user);
      if (id === undefined) continue;
      user.element.attributes.delete("xlink:href");
      user.element.attributes.set("href", `#${id}`);
    }
    if (this.made.length > 0) this.root.children.push({ name: "defs", attributes: new Map(), children: this.made });
  }

  /** The id of a copy for a use; undefined where there are too many. */
  private copyFor(used: Placed, { variables, color }: Placed): string | undefined {
    const copies = this.copies.get(used) ?? [];
    const known = copies.find((one) => one.variables === variables && one.color === color);
    if (known) return known.id;
    if (countOf(used) > this.left) return undefined;
    const copied = copyOf(used, { ...used.parent!, variables, color });
    this.left -= copied.length;
    for (const placed of copied) {
      this.all.push(placed);
      this.work(placed);
    }
    for (const { element } of copied) element.attributes.delete("id");
    const id = `used-${this.made.length}-of-the-renderer`;
    const { element } = copied[0]!;
    element.attributes.set("id", id);
    this.made.push(element);
    copies.push({ variables, color, id });
    this.copies.set(used, copies);
    return id;
  }

  private isRestyled(used: Placed): boolean {
    if (!this.styles.lookAround) return false;
    const known = this.restyled.get(used);
    if (known !== undefined) return known;
    const count = countOf(used);
    if (count > this.comparedLeft) return false;
    this.comparedLeft -= count;
    const originals = inOrder(used);
    const found = copyOf(used, used.parent!).some((copy, index) => !this.isStyledAs(copy, originals[index]!));
    this.restyled.set(used, found);
    return found;
  }

  private isStyledAs(one: Placed, other: Placed): boolean {
    const [own, others] = [one, other].map((placed) => this.styles.declarationsFor(placed));
    return (
      own!.length === others!.length &&
      own!.every(({ property, text }, at) => property === others![at]!.property && text === others![at]!.text)
    );
  }
}

/** A copy of an element and of those in it, in the order of the document. */
function copyOf(used: Placed, around: Placed): Placed[] {
  const copied: Placed[] = [];
  const copy = (placed: Placed, parent: Placed, siblings: Placed[], isUsed: boolean): SvgElement => {
    const { name, attributes, children } = placed.element;
    const element: SvgElement = { name, attributes: new Map(attributes), children: [] };
    const inner: Placed[] = [];
    const made: Placed = { ...placed, element, parent, isUsed, siblings, children: inner, index: siblings.length };
    siblings.push(made);
    copied.push(made);
    const elements = placed.children.map((child) => copy(child, made, inner, false));
    let next = 0;
    for (const child of children) element.children.push(typeof child === "string" ? child : elements[next++]!);
    return element;
  };
  copy(used, around, [], true);
  return copied;
}

/** An element and those in it, in the order of the document. */
function inOrder(placed: Placed): Placed[] {
  return [placed, ...placed.children.flatMap(inOrder)];
}

function countOf({ children }: Placed): number {
  return children.reduce((sum, child) => sum + countOf(child), 1);
}
