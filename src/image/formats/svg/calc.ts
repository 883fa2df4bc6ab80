/** `calc()` of lengths and numbers (CSS Values and Units Level 4, section 10). */
import { lengthOf } from "./lengths.ts";

/** Letters of one, and brackets in brackets; what has more says nothing. */
const MAX_LETTERS = 1_000;
const MAX_DEPTH = 16;
/** Of one value. */
const MAX_CALCULATIONS = 1_000;
const NUMBER = /\s*([+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?(?:[a-z]+|%)?)/iy;
const ANGLE = /^(.*?)(?:deg|grad|rad|turn)$/i;

/**
 * A value with a number of pixels in place of each `calc()`; undefined where one cannot be told.
 * @param wholeOf what percentages are of, by the text before them; absent: there may be none
 */
export function withoutCalc(value: string, wholeOf?: (before: string) => number | undefined): string | undefined {
  const opening = /(?<![\w-])(?:-webkit-)?calc\(/gi;
  let text = "";
  let from = 0;
  for (let turn = 0; turn <= MAX_CALCULATIONS; turn++) {
    opening.lastIndex = from;
    const found = opening.exec(value);
    if (!found) return text + value.slice(from);
    text += value.slice(from, found.index);
    const reader = new Reader(value.slice(found.index, found.index + MAX_LETTERS), wholeOf?.(text));
    const result = reader.read();
    if (result === undefined) return undefined;
    text += result;
    from = found.index + reader.at;
  }
  return undefined;
}

/** Reads sums of products. */
class Reader {
  at: number;
  private readonly text: string;
  private readonly whole: number | undefined;
  /** Of angles, which are told in degrees. */
  private isAngle = false;

  constructor(text: string, whole: number | undefined) {
    this.text = text;
    this.at = text.indexOf("(");
    this.whole = whole;
  }

  /** The value of what begins with a bracket, as text. */
  read(): string | undefined {
    const value = this.part(0);
    if (value === undefined || !Number.isFinite(value)) return undefined;
    return `${Number(value.toFixed(6))}${this.isAngle ? "deg" : ""}`;
  }

  private sum(depth: number): number | undefined {
    let sum = this.product(depth);
    for (;;) {
      // A sign has blanks around it: without them it is of the number.
      const [all = "", sign = ""] = /^\s+([+-])\s/.exec(this.text.slice(this.at)) ?? [];
      if (sign === "" || sum === undefined) return sum;
      this.at += all.length;
      const next = this.product(depth);
      sum = next === undefined ? undefined : sign === "+" ? sum + next : sum - next;
    }
  }

  private product(depth: number): number | undefined {
    let product = this.part(depth);
    for (;;) {
      const [all = "", sign = ""] = /^\s*([*/])/.exec(this.text.slice(this.at)) ?? [];
      if (sign === "" || product === undefined) return product;
      this.at += all.length;
      const next = this.part(depth);
      product = next === undefined ? undefined : sign === "*" ? product * next : product / next;
    }
  }

  private part(depth: number): number | undefined {
    const [open] = /^\s*(?:calc)?\(/i.exec(this.text.slice(this.at)) ?? [];
    if (open !== undefined) {
      if (depth > MAX_DEPTH) return undefined;
      this.at += open.length;
      const inner = this.sum(depth + 1);
      const [close] = /^\s*\)/.exec(this.text.slice(this.at)) ?? [];
      this.at += close?.length ?? 0;
      return close === undefined ? undefined : inner;
    }
    NUMBER.lastIndex = this.at;
    const [all = "", number = ""] = NUMBER.exec(this.text) ?? [];
    this.at += all.length;
    return this.valueOf(number);
  }

  private valueOf(number: string): number | undefined {
    const unit = ANGLE.exec(number);
    if (!unit) return lengthOf(number, this.whole);
    this.isAngle = true;
    const factors: Readonly<Record<string, number>> = { deg: 1, grad: 0.9, rad: 180 / Math.PI, turn: 360 };
    return Number(unit[1]) * (factors[number.slice(unit[1]?.length).toLowerCase()] ?? Number.NaN);
  }
}
