/** Which rules of a drawing's style sheets are about an element, and what they and it declare, the weightiest last. */
import type { Size } from "../../pixels/geometry.ts";
import { cleanDeclarations, type Declaration } from "./css-values.ts";
import type { Rule } from "./css.ts";
import { type Layer, Layers } from "./layers.ts";
import { holds } from "./media.ts";
import { type Placed, spend, tooStyled } from "./placed.ts";
import { compared, type Selector, selectorsOf } from "./selectors.ts";
import type { Warnings } from "./warnings.ts";

/** Selectors of all rules together, and what each rule adds to that. */
const MAX_SELECTORS = 4_000;
const MAX_SELECTORS_OF_RULES = 2;

interface Entry {
  readonly selector: Selector;
  readonly rule: Rule;
  readonly order: number;
  readonly layer: Layer;
}

/** What working out styles may take, of a document with all drawings in it. */
export interface Means {
  readonly warnings: Warnings;
  /** Comparisons of elements with selectors, and declarations that come of them. */
  readonly steps: { left: number };
  /** Letters of values that rules say: those of each element that they are said of, for each works them out anew. */
  readonly valueLetters: { left: number };
  /** Letters that variables may become. */
  readonly variableLetters: { left: number };
  /** Letters of paths that are looked through for boxes. */
  readonly pathLetters: { left: number };
}

/** What in a selector asks for more than an element itself: combinators and pseudo-classes. */
const LOOKS_AROUND = /[^\s,]\s+[^\s,]|[>+~:]/;

export class StyleRules {
  /** Whether rules may ask for what is around an element. */
  readonly lookAround: boolean;
  private readonly byKey = new Map<string, Entry[]>();
  private readonly means: Means;

  /** @throws ApiError 422 when they have too many selectors */
  constructor(rules: readonly Rule[], size: Size, means: Means) {
    this.means = means;
    const layers = new Layers();
    const found = new Map<string, boolean>();
    const isMet = (condition: string) => {
      const met = found.get(condition) ?? holds(condition, size);
      found.set(condition, met);
      return met;
    };
    const entries: Entry[] = [];
    let selectorsLeft = MAX_SELECTORS + rules.length * MAX_SELECTORS_OF_RULES;
    for (const rule of rules) {
      if (!rule.conditions.every(isMet)) continue;
      const layer = layers.of(rule.conditions);
      if (rule.selector === "") continue;
      const selectors = selectorsOf(rule.selector);
      if (selectors.length === 0) means.warnings.add("style rules whose selectors are not known are left out");
      for (const selector of selectors) {
        if (--selectorsLeft < 0) throw tooStyled();
        entries.push({ selector, rule, order: entries.length, layer });
      }
    }
    layers.arrange();
    this.lookAround = entries.some(({ rule }) => LOOKS_AROUND.test(rule.selector));
    for (const entry of entries) {
      const there = this.byKey.get(entry.selector.key);
      if (there) there.push(entry);
      else this.byKey.set(entry.selector.key, [entry]);
    }
  }

  /** The declarations of style sheets and of the element, the weightiest last. */
  declarationsFor(placed: Placed): Declaration[] {
    const { element } = placed;
    const matched: Entry[] = [];
    if (this.byKey.size > 0) {
      const id = element.attributes.get("id");
      const classes = new Set((element.attributes.get("class") ?? "").split(/\s+/));
      const keys = [
        "*",
        element.name,
        ...[...classes].map((one) => `.${one}`),
        ...(id === undefined ? [] : [`#${id}`]),
      ];
      for (const key of keys) {
        for (const entry of this.byKey.get(key) ?? []) {
          if (!entry.selector.matches(placed)) continue;
          spend(placed, entry.rule.declarations.length);
          this.spendLetters(entry.rule);
          matched.push(entry);
        }
      }
    }
    const sorted = (way: 1 | -1) =>
      matched
        .toSorted(
          (a, b) =>
            way * (a.layer.place - b.layer.place) ||
            compared(a.selector.specificity, b.selector.specificity) ||
            a.order - b.order,
        )
        .flatMap(({ rule }) => rule.declarations);
    const style = cleanDeclarations(element.attributes.get("style") ?? "");
    const isImportant = ({ text }: Declaration) => /!\s*important\s*$/i.test(text);
    const plain = [...sorted(1), ...style].filter((one) => !isImportant(one));
    // Of what is important the first layer counts most.
    const important = [...sorted(-1), ...style]
      .filter(isImportant)
      .map((one) => ({ ...one, text: one.text.slice(0, one.text.lastIndexOf("!")).trimEnd() }));
    return [...plain, ...important];
  }

  private spendLetters({ declarations }: Rule): void {
    for (const { text } of declarations) this.means.valueLetters.left -= text.length;
    if (this.means.valueLetters.left < 0) throw tooStyled();
  }
}
