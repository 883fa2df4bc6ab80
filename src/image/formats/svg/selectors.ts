/** Selectors of style sheets (Selectors Level 4), as far as they ask for what a drawing at rest has. */
import { type Token, Tokens } from "./css-tokens.ts";
import { type Placed, spend } from "./placed.ts";

/** Says whether an element has what a part of a selector asks for. */
type Test = (placed: Placed) => boolean;
type Combinator = " " | ">" | "+" | "~";

interface Compound {
  readonly tests: readonly Test[];
  /** What narrows the search for elements: one of an id, a class or a name. */
  readonly key: string;
  /** The part before it. */
  readonly before: { readonly compound: Compound; readonly combinator: Combinator } | undefined;
}

/** How much a selector says: ids, classes and names, each counting more than all that follow. */
export type Specificity = readonly [ids: number, classes: number, names: number];

export interface Selector {
  /** `#id`, `.class`, a name, or `*`: an element without it is not asked for. */
  readonly key: string;
  readonly specificity: Specificity;
  readonly matches: Test;
}

/** Selectors in selectors. */
const MAX_DEPTH = 4;

/** The selectors of a list; none where one of them is not known, for then the whole list says nothing. */
export function selectorsOf(text: string): Selector[] {
  return new Reader(text).list(0) ?? [];
}

class Unknown extends Error {}

/** Letters that are looked through in the time of one comparison. */
const LETTERS_OF_A_STEP = 64;

/** The value of an attribute, whose letters count each time that they are looked through. */
function lookedThrough(placed: Placed, name: string): string | undefined {
  const value = placed.element.attributes.get(name);
  if (value !== undefined) spend(placed, Math.floor(value.length / LETTERS_OF_A_STEP));
  return value;
}

class Reader {
  private readonly tokens: Token[] = [];
  private at = 0;
  private isInHas = false;

  constructor(text: string) {
    const tokens = new Tokens(text);
    for (let token = tokens.next(); token.type !== "end"; token = tokens.next()) this.tokens.push(token);
  }

  /** Selectors up to a closing bracket or the end; null where something is not known. */
  list(depth: number): Selector[] | null {
    if (depth > MAX_DEPTH) return null;
    try {
      const found: Selector[] = [];
      do found.push(this.selector(depth));
      while (this.take(","));
      return depth > 0 || this.at === this.tokens.length ? found : null;
    } catch (error) {
      if (error instanceof Unknown) return null;
      throw error;
    }
  }

  private selector(depth: number, first?: Compound["before"]): Selector {
    const counts: [number, number, number] = [0, 0, 0];
    let before = first;
    for (;;) {
      this.skipSpace();
      const compound = { ...this.compound(depth, counts), before };
      const combinator = this.combinator();
      if (!combinator) return { key: compound.key, specificity: counts, matches: (placed) => fits(placed, compound) };
      before = { compound, combinator };
    }
  }

  private combinator(): Combinator | undefined {
    const hadSpace = this.skipSpace();
    const token = this.tokens[this.at];
    if (!token || isLetter(token, ",") || isLetter(token, ")")) return undefined;
    for (const sign of [">", "+", "~"] as const) if (this.take(sign)) return sign;
    if (!hadSpace) throw new Unknown();
    return " ";
  }

  /** Reads names, ids, classes, attributes and pseudo-classes that stand together. */
  private compound(depth: number, counts: [number, number, number]): Pick<Compound, "tests" | "key"> {
    const tests: Test[] = [];
    let [id, className, name] = ["", "", ""];
    for (const start = this.at; ;) {
      const token = this.tokens[this.at];
      if (token?.type === "ident" && this.at === start) {
        name = token.value;
        this.at++;
        counts[2]++;
        tests.push(({ element }) => element.name === name);
      } else if (token?.type === "hash") {
        const { value } = token;
        id = value;
        this.at++;
        counts[0]++;
        tests.push(({ element }) => element.attributes.get("id") === value);
      } else if (token && isLetter(token, "*") && this.at === start) this.at++;
      else if (token && isLetter(token, ".")) {
        const value = this.name(1);
        className = value;
        counts[1]++;
        tests.push((placed) => hasWord(lookedThrough(placed, "class"), value));
      } else if (token && isLetter(token, "[")) {
        counts[1]++;
        tests.push(this.attribute());
      } else if (token && isLetter(token, ":")) tests.push(this.pseudo(depth, counts));
      else if (this.at === start) throw new Unknown();
      else break;
    }
    return { tests, key: id ? `#${id}` : className ? `.${className}` : name || "*" };
  }

  /** The name some tokens ahead, which is passed. */
  private name(ahead: number): string {
    const token = this.tokens[this.at + ahead];
    if (token?.type !== "ident") throw new Unknown();
    this.at += ahead + 1;
    return token.value;
  }

  private attribute(): Test {
    const name = this.name(1);
    const operator = this.operator();
    if (operator === "") {
      this.expect("]");
      return ({ element }) => element.attributes.has(name);
    }
    const token = this.tokens[this.at++];
    if (token?.type !== "ident" && token?.type !== "string" && token?.type !== "number") throw new Unknown();
    this.skipSpace();
    const flag = this.tokens[this.at]?.type === "ident" ? this.name(0).toLowerCase() : "";
    if (flag === "i" || flag === "s" || flag === "") this.expect("]");
    else throw new Unknown();
    const lower = (text: string) => (flag === "i" ? text.toLowerCase() : text);
    const wanted = lower(token.value);
    return (placed) => {
      const value = lookedThrough(placed, name);
      return value !== undefined && hasValue(lower(value), operator, wanted);
    };
  }

  private operator(): string {
    this.skipSpace();
    const sign = ["~", "|", "^", "$", "*"].find((letter) => this.take(letter)) ?? "";
    if (!this.take("=")) {
      if (sign !== "") throw new Unknown();
      return "";
    }
    this.skipSpace();
    return `${sign}=`;
  }

  private pseudo(depth: number, counts: [number, number, number]): Test {
    this.at++;
    const token = this.tokens[this.at++];
    const name = token?.value.toLowerCase() ?? "";
    if (token?.type === "ident") {
      counts[1]++;
      const test = PSEUDO_CLASSES[name];
      // What people do with a drawing, such as pointing at it, they do not do here.
      return test ?? (() => false);
    }
    if (token?.type !== "function") throw new Unknown();
    const test = name.startsWith("nth-") ? this.nth(name, depth, counts) : this.logic(name, depth, counts);
    this.skipSpace();
    this.expect(")");
    return test;
  }

  private logic(name: string, depth: number, counts: [number, number, number]): Test {
    if (name === "has") return this.has(depth, counts);
    if (name !== "not" && name !== "is" && name !== "where") throw new Unknown();
    const list = this.list(depth + 1);
    if (!list) throw new Unknown();
    if (name !== "where") addMost(counts, list);
    return (placed) => list.some(({ matches }) => matches(placed)) === (name !== "not");
  }

  /** The elements about which others are that a relative selector asks for (Selectors Level 4, section 4.5). */
  private has(depth: number, counts: [number, number, number]): Test {
    if (this.isInHas || depth >= MAX_DEPTH) throw new Unknown();
    this.isInHas = true;
    let asked: Placed | undefined;
    const anchor: Compound = { tests: [(placed) => placed === asked], key: "*", before: undefined };
    const found: { selector: Selector; isBehind: boolean }[] = [];
    do {
      this.skipSpace();
      const sign = ([">", "+", "~"] as const).find((letter) => this.take(letter));
      const selector = this.selector(depth + 1, { compound: anchor, combinator: sign ?? " " });
      found.push({ selector, isBehind: sign === "+" || sign === "~" });
    } while (this.take(","));
    this.isInHas = false;
    addMost(
      counts,
      found.map(({ selector }) => selector),
    );
    return (placed) => {
      asked = placed;
      return found.some(({ selector, isBehind }) => {
        const near = isBehind ? placed.siblings.slice(placed.index + 1) : placed.children;
        return hasAmong(near, selector.matches);
      });
    };
  }

  /** The elements in every `step` from a first one on (CSS Syntax Level 3, section 6). */
  private nth(name: string, depth: number, counts: [number, number, number]): Test {
    counts[1]++;
    let text = "";
    for (;;) {
      const token = this.tokens[this.at];
      if (!token || isLetter(token, ")")) break;
      if (token.type === "ident" && token.value === "of") {
        this.at++;
        break;
      }
      text += token.value;
      this.at++;
    }
    const among = name === "nth-child" && this.tokens[this.at - 1]?.value === "of" ? this.list(depth + 1) : undefined;
    const [step, first] = nthOf(text.replace(/\s+/g, "").toLowerCase());
    const isOfType = name.endsWith("-of-type");
    const isLast = name.startsWith("nth-last");
    return (placed) => {
      spend(placed, placed.siblings.length);
      const peers = placed.siblings.filter(
        (other) =>
          (!isOfType || other.element.name === placed.element.name) &&
          (!among || among.some(({ matches }) => matches(other))),
      );
      const index = peers.indexOf(placed);
      if (index < 0) return false;
      const distance = (isLast ? peers.length - index : index + 1) - first;
      return step === 0 ? distance === 0 : distance % step === 0 && distance / step >= 0;
    };
  }

  private take(letter: string): boolean {
    const token = this.tokens[this.at];
    if (!token || !isLetter(token, letter)) return false;
    this.at++;
    return true;
  }

  private expect(letter: string): void {
    if (!this.take(letter)) throw new Unknown();
  }

  private skipSpace(): boolean {
    const start = this.at;
    while (this.tokens[this.at]?.type === "space" || this.tokens[this.at]?.type === "comment") this.at++;
    return this.at > start;
  }
}

/** Adds how much the selector of a list says that says most. */
function addMost(counts: [number, number, number], list: readonly Selector[]): void {
  const most = list
    .map(({ specificity }) => specificity)
    .toSorted(compared)
    .at(-1);
  if (most) for (const place of [0, 1, 2] as const) counts[place] += most[place];
}

/** Whether one of some elements, or of those within them, is what is asked for. */
function hasAmong(elements: readonly Placed[], test: Test): boolean {
  return elements.some((placed) => test(placed) || hasAmong(placed.children, test));
}

const PSEUDO_CLASSES: Readonly<Record<string, Test>> = {
  root: ({ parent }) => parent === undefined,
  "first-child": ({ index }) => index === 0,
  "last-child": ({ index, siblings }) => index === siblings.length - 1,
  "only-child": ({ siblings }) => siblings.length === 1,
  "first-of-type": (placed) => ofType(placed)[0] === placed,
  "last-of-type": (placed) => ofType(placed).at(-1) === placed,
  "only-of-type": (placed) => ofType(placed).length === 1,
  empty: ({ element }) => element.children.length === 0,
  link: ({ element }) => element.name === "a",
  "any-link": ({ element }) => element.name === "a",
};

function ofType(placed: Placed): Placed[] {
  const { element, siblings } = placed;
  spend(placed, siblings.length);
  return siblings.filter((other) => other.element.name === element.name);
}

function isLetter({ type, value }: Token, letter: string): boolean {
  return type === "delimiter" && value === letter;
}

function hasWord(list: string | undefined, word: string): boolean {
  return list !== undefined && list.includes(word) && list.split(/\s+/).includes(word);
}

function hasValue(value: string, operator: string, wanted: string): boolean {
  if (operator === "=") return value === wanted;
  if (operator === "~=") return hasWord(value, wanted);
  if (operator === "|=") return value === wanted || value.startsWith(`${wanted}-`);
  if (wanted === "") return false;
  if (operator === "^=") return value.startsWith(wanted);
  return operator === "$=" ? value.endsWith(wanted) : value.includes(wanted);
}

function nthOf(text: string): readonly [step: number, first: number] {
  if (text === "odd") return [2, 1];
  if (text === "even") return [2, 0];
  const [, step, sign, first] = /^([+-]?\d*)n(?:([+-])(\d+))?$/.exec(text) ?? [];
  if (step !== undefined) {
    const factor = /\d/.test(step) ? Number(step) : Number(`${step}1`);
    return [factor, first === undefined ? 0 : Number(`${sign ?? ""}${first}`)];
  }
  if (!/^[+-]?\d+$/.test(text)) throw new Unknown();
  return [0, Number(text)];
}

/** Below 0 where the first says less than the second. */
export function compared(one: Specificity, other: Specificity): number {
  return one[0] - other[0] || one[1] - other[1] || one[2] - other[2];
}

function fits(placed: Placed, { tests, before }: Compound): boolean {
  spend(placed, 1);
  if (!tests.every((test) => test(placed))) return false;
  if (!before) return true;
  const { compound, combinator } = before;
  if (combinator === ">") return placed.parent !== undefined && fits(placed.parent, compound);
  if (combinator === "+") {
    const other = placed.siblings[placed.index - 1];
    return other !== undefined && fits(other, compound);
  }
  if (combinator === "~") return placed.siblings.slice(0, placed.index).some((other) => fits(other, compound));
  for (let around = placed.parent; around; around = around.parent) if (fits(around, compound)) return true;
  return false;
}
