/** `calc()` and its like of lengths, numbers and angles (CSS Values and Units Level 4, section 10). */
import { lengthOf } from "./lengths.ts";

/** Letters of one, and brackets in brackets; what has more says nothing. */
const MAX_LETTERS = 1_000;
const MAX_DEPTH = 16;
/** Of one value. */
const MAX_CALCULATIONS = 1_000;
const NUMBER = /\s*([+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?(?:[a-z]+|%)?)/iy;
const ANGLE = /^(.*?)(?:deg|grad|rad|turn)$/i;
const NAMES = "calc|min|max|clamp|abs|sign|round|mod|rem|sin|cos|tan|asin|acos|atan|atan2|pow|sqrt|hypot|exp|log".split(
  "|",
);
const OPENING = new RegExp(String.raw`(?<![\w-])(?:-webkit-calc|${NAMES.join("|")})\(`, "gi");
const RADIANS = Math.PI / 180;

/** Whether a value has something in it that is to be calculated. */
export function isCalculated(value: string): boolean {
  OPENING.lastIndex = 0;
  return OPENING.test(value);
}

/**
 * A value with a number of pixels in place of each calculation; undefined where one cannot be told.
 * @param wholeOf what percentages are of, by the text before them; absent: there may be none
 */
export function withoutCalc(value: string, wholeOf?: (before: string) => number | undefined): string | undefined {
  let text = "";
  let from = 0;
  for (let turn = 0; turn <= MAX_CALCULATIONS; turn++) {
    OPENING.lastIndex = from;
    const found = OPENING.exec(value);
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

/** A length or a calculation of lengths, in pixels. @param whole what percentages are of */
export function measured(text: string | undefined, whole?: number): number | undefined {
  if (text === undefined || !isCalculated(text)) return lengthOf(text, whole);
  return lengthOf(withoutCalc(text, () => whole));
}

/** A number, or a number of pixels or degrees. */
interface Amount {
  readonly value: number;
  readonly isAngle: boolean;
}

const plain = (value: number): Amount => ({ value, isAngle: false });
const angle = (radians: number): Amount => ({ value: radians / RADIANS, isAngle: true });
const radiansOf = ({ value, isAngle }: Amount) => (isAngle ? value * RADIANS : value);

/** Which way `round()` goes. */
const ROUNDINGS: Readonly<Record<string, (value: number) => number>> = {
  nearest: (value) => Math.floor(value + 0.5),
  up: Math.ceil,
  down: Math.floor,
  "to-zero": Math.trunc,
};

const CONSTANTS: Readonly<Record<string, number>> = { pi: Math.PI, e: Math.E };

/** Functions by their names, but for `calc`, `round` and those of one number that `Math` has. */
const FUNCTIONS: Readonly<Record<string, (amounts: readonly Amount[]) => Amount | undefined>> = {
  min: (all) => alike(all, Math.min),
  max: (all) => alike(all, Math.max),
  clamp: (all) => alike(all, (least = Number.NaN, value, most) => Math.max(least, Math.min(value!, most!)), 3),
  abs: (all) => alike(all, (value = Number.NaN) => Math.abs(value), 1),
  sign: ([one]) => one && plain(Math.sign(one.value)),
  mod: (all) => alike(all, (value = Number.NaN, by = Number.NaN) => value - by * Math.floor(value / by), 2),
  rem: (all) => alike(all, (value = Number.NaN, by = Number.NaN) => value % by, 2),
  hypot: (all) => alike(all, Math.hypot),
  sin: ([one]) => one && plain(Math.sin(radiansOf(one))),
  cos: ([one]) => one && plain(Math.cos(radiansOf(one))),
  tan: ([one]) => one && plain(Math.tan(radiansOf(one))),
  asin: ([one]) => one && angle(Math.asin(one.value)),
  acos: ([one]) => one && angle(Math.acos(one.value)),
  atan: ([one]) => one && angle(Math.atan(one.value)),
  atan2: ([down, across]) => down && across && angle(Math.atan2(down.value, across.value)),
  pow: ([base, exponent]) => base && exponent && plain(base.value ** exponent.value),
  sqrt: ([one]) => one && plain(Math.sqrt(one.value)),
  exp: ([one]) => one && plain(Math.exp(one.value)),
  log: ([one, base]) => one && plain(Math.log(one.value) / (base ? Math.log(base.value) : 1)),
};

/** What a function makes of amounts of one kind. @param count of them; absent: one or more */
function alike(all: readonly Amount[], call: (...values: number[]) => number, count?: number): Amount | undefined {
  if (all.length === 0 || (count !== undefined && all.length !== count)) return undefined;
  return { value: call(...all.map(({ value }) => value)), isAngle: all.some(({ isAngle }) => isAngle) };
}

/** Reads sums of products. */
class Reader {
  at = 0;
  private readonly text: string;
  private readonly whole: number | undefined;

  constructor(text: string, whole: number | undefined) {
    this.text = text;
    this.whole = whole;
  }

  /** The value of a function, as text. */
  read(): string | undefined {
    const amount = this.part(0);
    if (!amount || !Number.isFinite(amount.value)) return undefined;
    return `${Number(amount.value.toFixed(6))}${amount.isAngle ? "deg" : ""}`;
  }

  /** Passes over what a pattern matches at this place, which is told. */
  private take(pattern: RegExp): string | undefined {
    const found = pattern.exec(this.text.slice(this.at));
    if (!found) return undefined;
    this.at += found[0].length;
    return found[1] ?? "";
  }

  private sum(depth: number): Amount | undefined {
    let sum = this.product(depth);
    for (;;) {
      // A sign has blanks around it: without them it is of the number.
      const sign = sum && this.take(/^\s+([+-])\s/);
      if (!sum || sign === undefined) return sum;
      const next = this.product(depth);
      if (!next) return undefined;
      const value = sign === "+" ? sum.value + next.value : sum.value - next.value;
      sum = { value, isAngle: sum.isAngle || next.isAngle };
    }
  }

  private product(depth: number): Amount | undefined {
    let product = this.part(depth);
    for (;;) {
      const sign = product && this.take(/^\s*([*/])/);
      if (!product || sign === undefined) return product;
      const next = this.part(depth);
      if (!next) return undefined;
      const value = sign === "*" ? product.value * next.value : product.value / next.value;
      product = { value, isAngle: product.isAngle !== next.isAngle };
    }
  }

  private part(depth: number): Amount | undefined {
    const name = this.take(/^\s*([a-z\d-]*)\(/i)?.toLowerCase();
    if (name !== undefined) return depth > MAX_DEPTH ? undefined : this.call(name, depth + 1);
    const constant = this.take(/^\s*(-?(?:pi|e))(?![\w.-])/i)?.toLowerCase();
    if (constant !== undefined) {
      return plain(CONSTANTS[constant.replace("-", "")]! * (constant.startsWith("-") ? -1 : 1));
    }
    NUMBER.lastIndex = this.at;
    const [all = "", number = ""] = NUMBER.exec(this.text) ?? [];
    this.at += all.length;
    return this.amountOf(number);
  }

  /** What a function makes of what is in its brackets. */
  private call(name: string, depth: number): Amount | undefined {
    const way = name === "round" ? this.take(/^\s*(nearest|up|down|to-zero)\s*,/i) : undefined;
    const amounts: Amount[] = [];
    do {
      const amount = this.sum(depth);
      if (!amount) return undefined;
      amounts.push(amount);
    } while (this.take(/^\s*,/) !== undefined);
    if (this.take(/^\s*\)/) === undefined) return undefined;
    if (name === "" || name === "calc" || name === "-webkit-calc") return amounts.length === 1 ? amounts[0] : undefined;
    if (name !== "round") return Object.hasOwn(FUNCTIONS, name) ? FUNCTIONS[name]!(amounts) : undefined;
    const rounded = ROUNDINGS[way?.toLowerCase() ?? "nearest"]!;
    return alike(
      amounts.length === 1 ? [...amounts, plain(1)] : amounts,
      (value, by) => rounded(value! / by!) * by!,
      2,
    );
  }

  private amountOf(number: string): Amount | undefined {
    const unit = ANGLE.exec(number);
    if (!unit) {
      const length = lengthOf(number, this.whole);
      return length === undefined ? undefined : plain(length);
    }
    const factors: Readonly<Record<string, number>> = { deg: 1, grad: 0.9, rad: 1 / RADIANS, turn: 360 };
    const value = Number(unit[1]) * (factors[number.slice(unit[1]?.length).toLowerCase()] ?? Number.NaN);
    return { value, isAngle: true };
  }
}
