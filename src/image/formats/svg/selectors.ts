/** Selectors of style sheets (Selectors Level 4), as far as they ask for what a drawing at rest has. */
import { type Token, Tokens } from "./css-tokens.ts";
import { type Placed, seenAround, spend } from "./placed.ts";
import { pseudoClass, type Test } from "./pseudo-classes.ts";

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

  /**
   * Selectors up to a closing bracket or the end; null where something is not known.
   * @param isForgiving what is not known is left out of the list, which may be empty then
   */
  list(depth: number, isForgiving = false): Selector[] | null {
    if (depth > MAX_DEPTH) return null;
    const found: Selector[] = [];
    do {
      const start = this.at;
      try {
        found.push(this.selector(depth));
        if (isForgiving && !this.isAtEndOfOne()) throw new Unknown();
      } catch (error) {
        if (!(error instanceof Unknown)) throw error;
        if (!isForgiving) return null;
        this.at = start;
        this.passOne();
      }
    } while (this.take(","));
    return depth > 0 || this.at === this.tokens.length ? found : null;
  }

  private isAtEndOfOne(): boolean {
    const token = this.tokens[this.at];
    return !token || isLetter(token, ",") || isLetter(token, ")");
  }

  /** Passes over a selector of a list, whatever it is. */
  private passOne(): void {
    for (let open = 0; open > 0 || !this.isAtEndOfOne(); this.at++) {
      const token = this.tokens[this.at];
      if (!token) return;
      if (token.type === "function" || isLetter(token, "(") || isLetter(token, "[")) open++;
      else if (isLetter(token, ")") || isLetter(token, "]")) open--;
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
      const isFirst = this.at === start;
      if (isFirst && this.passNamespace()) tests.push(() => false);
      const token = this.tokens[this.at];
      if (token?.type === "ident" && isFirst) {
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
      } else if (token && isLetter(token, "*") && isFirst) this.at++;
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

  /**
   * Passes over a namespace before a name or an asterisk: every element that is drawn is of the one of SVG.
   * @returns whether it is said to be none
   */
  private passNamespace(): boolean {
    const [first, second] = this.tokens.slice(this.at, this.at + 2);
    const isNone = first !== undefined && isLetter(first, "|");
    const isSome = first !== undefined && (first.type === "ident" || isLetter(first, "*"));
    if (!isNone && !(isSome && second !== undefined && isLetter(second, "|"))) return false;
    this.at += isNone ? 1 : 2;
    const named = this.tokens[this.at];
    if (named?.type !== "ident" && !(named && isLetter(named, "*"))) throw new Unknown();
    return isNone;
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
    const isPartOfOne = this.take(":");
    const token = this.tokens[this.at++];
    const name = token?.value.toLowerCase() ?? "";
    // A drawing has no parts of elements.
    if (isPartOfOne && token?.type === "ident") return () => false;
    if (!isPartOfOne && token?.type === "ident") {
      counts[1]++;
      const test = pseudoClass(name);
      if (!test) throw new Unknown();
      return test;
    }
    if (isPartOfOne) throw new Unknown();
    if (token?.type !== "function") throw new Unknown();
    const test = name.startsWith("nth-") ? this.nth(name, depth, counts) : this.logic(name, depth, counts);
    this.skipSpace();
    this.expect(")");
    return test;
  }

  private logic(name: string, depth: number, counts: [number, number, number]): Test {
    if (name === "has") return this.has(depth, counts);
    if (name === "lang") return this.language(counts);
    if (name !== "not" && name !== "is" && name !== "where") throw new Unknown();
    const list = this.list(depth + 1, name !== "not");
    if (!list) throw new Unknown();
    if (name !== "where") addMost(counts, list);
    return (placed) => list.some(({ matches }) => matches(placed)) === (name !== "not");
  }

  /** The elements whose language is one of a list, or a kind of it. */
  private language(counts: [number, number, number]): Test {
    counts[1]++;
    const wanted: string[] = [];
    do {
      this.skipSpace();
      const token = this.tokens[this.at++];
      if (token?.type !== "ident" && token?.type !== "string") throw new Unknown();
      wanted.push(token.value.toLowerCase());
      this.skipSpace();
    } while (this.take(","));
    return (placed) => {
      let at: Placed | undefined = placed;
      let said: string | undefined;
      for (; at && said === undefined; at = seenAround(at)) {
        spend(at, 1);
        said = at.element.attributes.get("lang") ?? at.element.attributes.get("xml:lang");
      }
      const language = said?.toLowerCase() ?? "";
      return wanted.some((one) => hasValue(language, "|=", one));
    };
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
    const among =
      /^nth-(?:last-)?child$/.test(name) && this.tokens[this.at - 1]?.value === "of" ? this.list(depth + 1) : undefined;
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
  const outer = seenAround(placed);
  if (combinator === ">") return outer !== undefined && fits(outer, compound);
  if (combinator === "+") {
    const other = placed.siblings[placed.index - 1];
    return other !== undefined && fits(other, compound);
  }
  if (combinator === "~") return placed.siblings.slice(0, placed.index).some((other) => fits(other, compound));
  for (let around = outer; around; around = seenAround(around)) if (fits(around, compound)) return true;
  return false;
}
