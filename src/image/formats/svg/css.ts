/** Style sheets without references to elsewhere, as text and as rules. */
import { FUNCTIONS, GROUP_RULES, KEYFRAME_RULES, SELECTOR_FUNCTIONS } from "./css-names.ts";
import { type Token, Tokens, writtenName, writtenString } from "./css-tokens.ts";
import { type Declaration, isDelimiter, readDeclaration, writtenDeclarations } from "./css-values.ts";
import { tooLarge } from "./document.ts";
import { withoutComparisons } from "./media.ts";
import { nestedSelector } from "./nesting.ts";

/** Rules of all style sheets of a document. */
export const MAX_RULES = 10_000;
/** Letters of what stands before a block: selectors, as a rule. */
const MAX_PRELUDE_LETTERS = 50_000;
/** Rules in rules; more than two is unheard of. */
const MAX_RULE_DEPTH = 8;
/** Letters of selectors that rules within rules become, beside four times those of the style sheet. */
const NESTED_LETTERS = 10_000;

export interface Rule {
  /** Selectors with commas between them; none where a layer is named alone. */
  readonly selector: string;
  /** What the rules around it ask for: their names and conditions. */
  readonly conditions: readonly string[];
  readonly declarations: readonly Declaration[];
}

export interface StyleSheet {
  readonly text: string;
  readonly rules: readonly Rule[];
  /** What is left out and would change a drawing, in words for people. */
  readonly leftOut: readonly string[];
}

/** Rules that hold rules for some elements, which are not told here. */
const SCOPES = new Set(["container", "scope"]);
const CLOSING: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}" };

/**
 * The rules that may stay, with references to places in the document only.
 * @param most rules; what has more is read no further
 * @throws ApiError 422
 */
export function cleanStyleSheet(css: string, most = MAX_RULES): StyleSheet {
  const tokens = new Tokens(css);
  const rules: Rule[] = [];
  const parts: string[] = [];
  const leftOut = new Set<string>();
  const lettersLeft = { left: NESTED_LETTERS + 4 * css.length };
  readRules(tokens, parts, { rules, most, conditions: [], depth: 0, selector: undefined, lettersLeft, leftOut });
  return { text: parts.join(""), rules, leftOut: [...leftOut] };
}

/** Where rules stand. */
interface Place {
  /** Takes them; those of an animation are not taken. */
  readonly rules: Rule[] | undefined;
  readonly most: number;
  readonly conditions: readonly string[];
  /** How many rules are around. */
  readonly depth: number;
  /** That of the style rule around. */
  readonly selector: string | undefined;
  /** Letters that selectors of rules within rules may still become. */
  readonly lettersLeft: { left: number };
  readonly leftOut: Set<string>;
}

/** Reads rules up to the end of their block, or of the text. */
function readRules(tokens: Tokens, parts: string[], place: Place): void {
  const { depth } = place;
  for (;;) {
    const token = tokens.next();
    if (token.type === "end" || (depth > 0 && isDelimiter(token, "}"))) return;
    if (token.type === "space" || token.type === "comment") continue;
    const end =
      token.type === "at"
        ? readAtRule(tokens, token.value.toLowerCase(), parts, place)
        : readStyleRule(tokens, token, parts, place);
    if (end === "}") return;
  }
}

/** Reads an at-rule; returns what ended it: `}` when that is the end of the block around it. */
function readAtRule(tokens: Tokens, name: string, parts: string[], place: Place): End {
  const { rules, conditions, depth, selector } = place;
  const keyframes = KEYFRAME_RULES.has(name);
  const kept = (keyframes || GROUP_RULES.has(name)) && depth < MAX_RULE_DEPTH;
  const start = tokens.place;
  const prelude = readPrelude(tokens, tokens.next(), { condition: true, nested: depth > 0 });
  if (prelude.end !== "{") {
    if (name === "layer" && prelude.text !== null && prelude.text !== "") nameLayers(prelude.text, parts, place);
    return prelude.end;
  }
  if (!kept || prelude.text === null) {
    if (SCOPES.has(name)) place.leftOut.add(`style rules within @${name} are left out`);
    if (name === "property") place.leftOut.add("what @property says of variables is left out");
    skipBlock(tokens);
    return "{";
  }
  const inner: string[] = [];
  // Layers without a name are layers of their own.
  const said = name === "layer" && prelude.text === "" ? `nameless-${start}` : prelude.text;
  const around = [...conditions, `${name} ${said}`];
  const within: Place = { ...place, rules: keyframes ? undefined : rules, conditions: around, depth: depth + 1 };
  if (selector === undefined || keyframes) readRules(tokens, inner, { ...within, selector: undefined });
  else readStyleBlock(tokens, inner, within, selector);
  parts.push(`@${name} ${prelude.text}{${inner.join("")}}`);
  return "{";
}

/** Takes the names of layers, which have their order from here on. */
function nameLayers(names: string, parts: string[], { rules, most, conditions }: Place): void {
  parts.push(`@layer ${names};`);
  for (const name of names.split(",")) {
    if ((rules?.length ?? 0) >= most) throw tooLarge();
    rules?.push({ selector: "", conditions: [...conditions, `layer ${name.trim()}`], declarations: [] });
  }
}

function readStyleRule(tokens: Tokens, first: Token, parts: string[], place: Place): End {
  const { depth, selector: around, lettersLeft } = place;
  const prelude = readPrelude(tokens, first, { condition: false, nested: depth > 0 });
  if (prelude.end !== "{") return prelude.end;
  const selector =
    prelude.text === null || around === undefined ? prelude.text : nestedSelector(prelude.text, around, lettersLeft);
  if (selector === null || (around !== undefined && depth > MAX_RULE_DEPTH)) {
    place.leftOut.add("style rules whose selectors are not known are left out");
    skipBlock(tokens);
    return "{";
  }
  readStyleBlock(tokens, parts, { ...place, depth: depth + 1 }, selector);
  return "{";
}

/** Reads declarations, and rules within the rule (CSS Nesting Level 1), up to the end of the block. */
function readStyleBlock(tokens: Tokens, parts: string[], place: Place, selector: string): void {
  let declarations: Declaration[] = [];
  let isRepeated = false;
  const flush = () => {
    if (declarations.length === 0) return;
    if (isRepeated) place.lettersLeft.left -= selector.length;
    if (place.lettersLeft.left < 0 || (place.rules?.length ?? 0) >= place.most) throw tooLarge();
    isRepeated = true;
    parts.push(selector, "{", writtenDeclarations(declarations), "}");
    place.rules?.push({ selector, conditions: place.conditions, declarations });
    declarations = [];
  };
  const within = { ...place, selector };
  for (let end: End = ";"; end !== "" && end !== "}";) {
    let start = tokens.place;
    let token = tokens.next();
    while (token.type === "space" || token.type === "comment" || isDelimiter(token, ";")) {
      start = tokens.place;
      token = tokens.next();
    }
    if (token.type === "at") {
      flush();
      end = readAtRule(tokens, token.value.toLowerCase(), parts, within);
    } else if (startsRule(tokens, token, start)) {
      flush();
      end = readStyleRule(tokens, token, parts, within);
    } else end = readDeclaration(tokens, token, declarations);
  }
  flush();
}

/** Whether a block follows before the end of what begins with a token; the tokens are as before. */
function startsRule(tokens: Tokens, first: Token, start: number): boolean {
  if (first.type === "ident" && first.value.startsWith("--")) return false;
  const behind = tokens.place;
  const open: string[] = [];
  let found = false;
  tokens.goTo(start);
  for (let token = tokens.next(); token.type !== "end"; token = tokens.next()) {
    const { type, value } = token;
    if (type === "function") open.push(")");
    if (type !== "delimiter") continue;
    if (open.length === 0 && (value === "{" || value === ";" || value === "}")) {
      found = value === "{";
      break;
    }
    const close = CLOSING[value];
    if (close !== undefined) open.push(close);
    else if (value === open.at(-1)) open.pop();
  }
  tokens.goTo(behind);
  return found;
}

/** What a rule can end with: its own block, a semicolon, the end of the block around it, or of the text. */
type End = "{" | ";" | "}" | "";

interface Prelude {
  /** Null when something in it cannot stay. */
  readonly text: string | null;
  readonly end: End;
}

/** Reads what stands before a block: a selector, or the condition of an at-rule. */
function readPrelude(
  tokens: Tokens,
  first: Token,
  { condition, nested }: { condition: boolean; nested: boolean },
): Prelude {
  const writer = new PreludeWriter(condition, nested);
  for (let token = first; ; token = tokens.next()) {
    if (token.type === "end") return { text: writer.finished(), end: "" };
    if (writer.isOutermost() && token.type === "delimiter") {
      const { value } = token;
      if (value === "{" || (value === ";" && condition) || (value === "}" && nested)) {
        return { text: writer.finished(), end: value };
      }
    }
    writer.take(token);
  }
}

class PreludeWriter {
  private readonly parts: string[] = [];
  private length = 0;
  private worthless = false;
  private gap = false;
  private joined = false;
  private readonly open: string[] = [];
  private before = "";
  private readonly condition: boolean;
  private readonly nested: boolean;

  constructor(condition: boolean, nested: boolean) {
    this.condition = condition;
    this.nested = nested;
  }

  isOutermost(): boolean {
    return this.open.length === 0;
  }

  take({ type, value }: Token): void {
    if (type === "space") this.gap = true;
    else if (type === "comment") this.joined = true;
    else if (type === "ident") this.add(writtenName(value));
    else if (type === "hash") this.add(`#${writtenName(value)}`);
    else if (type === "number") this.add(value);
    else if (type === "string" && (this.open.at(-1) === "]" || (this.open.at(-1) === ")" && !this.condition)))
      this.add(writtenString(value));
    else if (type === "function") this.enter(value);
    else if (type === "delimiter") this.delimiter(value);
    else this.worthless = true;
  }

  finished(): string | null {
    if (this.worthless) return null;
    const text = this.parts.join("");
    return this.condition ? withoutComparisons(text) : text;
  }

  private add(text: string): void {
    // Without the comment between them two names would be one.
    const { before } = this;
    if (this.joined && !this.gap && /[-\w\u0080-\uffff]$/.test(before) && /^[-\w(\u0080-\uffff]/.test(text)) {
      this.worthless = true;
    }
    if (this.gap && this.length > 0) this.parts.push(" ");
    this.parts.push(text);
    this.length += text.length;
    if (this.length > MAX_PRELUDE_LETTERS) throw tooLarge();
    this.gap = false;
    this.joined = false;
    this.before = text;
  }

  private enter(name: string): void {
    const lower = name.toLowerCase();
    if (SELECTOR_FUNCTIONS.has(lower) || (this.condition && (FUNCTIONS.has(lower) || lower === "selector")))
      this.add(`${name}(`);
    else this.worthless = true;
    this.open.push(")");
  }

  private delimiter(letter: string): void {
    const close = CLOSING[letter];
    if (close !== undefined) {
      if (letter === "{" || (letter === "(" && !this.condition)) this.worthless = true;
      else this.add(letter);
      this.open.push(close);
    } else if (letter === this.open.at(-1)) {
      this.add(letter);
      this.open.pop();
    } else if (letter === "<" && this.condition) this.add(letter);
    else if (/^[.*>+~|,:=^$/-]$/.test(letter) || (letter === "&" && this.nested && !this.condition)) this.add(letter);
    else this.worthless = true;
  }
}

/** Passes over a block and all blocks in it. */
function skipBlock(tokens: Tokens): void {
  const open = ["}"];
  while (open.length > 0) {
    const { type, value } = tokens.next();
    if (type === "end") return;
    if (type === "function") open.push(")");
    if (type !== "delimiter") continue;
    const close = CLOSING[value];
    if (close !== undefined) open.push(close);
    else if (value === open.at(-1)) open.pop();
  }
}
