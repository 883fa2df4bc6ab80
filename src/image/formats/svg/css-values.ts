/** Values and declarations of CSS, written anew from what is allowed in them. */
import { FUNCTIONS, PROPERTIES } from "./css-names.ts";
import { type Token, Tokens, writtenName, writtenReference, writtenString } from "./css-tokens.ts";
import { tooLarge } from "./document.ts";

/** Which places in the document a value may refer to. */
export type Allowed = (id: string) => boolean;

export interface Value {
  readonly text: string;
  /** Ids that the value refers to. */
  readonly references: readonly string[];
}

export interface Declaration extends Value {
  readonly property: string;
}

const CLOSING: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}" };
/** Names, numbers and signs of one value. */
const MAX_PARTS = 20_000;
const OPERATORS = new Set(["+", "-", "*", "/", ",", "!", "."]);

const everything: Allowed = () => true;

/** Puts a value together; what cannot stay makes it worthless, an address elsewhere only disappears. */
class ValueWriter {
  private readonly parts: string[] = [];
  private gap = false;
  private worthless = false;
  private removed = false;
  private readonly references: string[] = [];
  private readonly open: string[] = [];
  private readonly allowed: Allowed;
  private readonly semicolons: boolean;

  constructor(allowed: Allowed, semicolons: boolean) {
    this.allowed = allowed;
    this.semicolons = semicolons;
  }

  /** Whether a token ends the value. */
  ends({ type, value }: Token): boolean {
    if (type === "end") return true;
    if (type !== "delimiter" || this.open.length > 0) return false;
    return value === "}" || (value === ";" && !this.semicolons);
  }

  take(token: Token): void {
    const { type, value } = token;
    if (type === "space" || type === "comment") this.gap = true;
    else if (type === "ident") this.add(writtenName(value));
    else if (type === "number") this.add(value);
    else if (type === "hash") this.add(`#${writtenName(value)}`.replace(/^#\\3(\d) /, "#$1"));
    else if (type === "string") this.add(writtenString(value));
    else if (type === "url") this.refer(value.trim());
    else if (type === "function") this.enter(value);
    else if (type === "delimiter") this.delimiter(value);
    else this.worthless = true;
  }

  finished(): Value | null {
    if (this.worthless) return null;
    const text = this.parts.join("") + ")".repeat(this.open.length);
    if (text !== "") return { text, references: this.references };
    return this.removed ? { text: "none", references: [] } : null;
  }

  /** Whether nothing was said, and nothing left out. */
  isEmpty(): boolean {
    return this.parts.length === 0 && !this.worthless && !this.removed;
  }

  private add(text: string): void {
    if (this.gap && this.parts.length > 0) this.parts.push(" ");
    this.parts.push(text);
    if (this.parts.length > MAX_PARTS) throw tooLarge();
    this.gap = false;
  }

  private refer(address: string): void {
    const id = address.slice(1);
    if (address.startsWith("#") && id !== "" && this.allowed(id)) {
      this.references.push(id);
      this.add(writtenReference(id));
      return;
    }
    this.gap = true;
    this.removed = true;
  }

  private enter(name: string): void {
    if (!FUNCTIONS.has(name.toLowerCase())) this.worthless = true;
    else this.add(`${name}(`);
    this.open.push(")");
  }

  private delimiter(letter: string): void {
    const close = CLOSING[letter];
    if (close !== undefined) {
      if (letter === "(") this.add("(");
      else this.worthless = true;
      this.open.push(close);
    } else if (letter === this.open.at(-1)) {
      this.open.pop();
      this.add(letter);
    } else if (OPERATORS.has(letter) || (letter === ";" && this.semicolons && this.open.length === 0)) this.add(letter);
    else this.worthless = true;
  }
}

/**
 * A value that stands alone, as in an attribute; null when nothing of it can stay. Attributes of animations hold several
 * values with semicolons between them.
 */
export function cleanValue(
  css: string,
  { allowed = everything, semicolons = false }: { allowed?: Allowed; semicolons?: boolean } = {},
): Value | null {
  const tokens = new Tokens(css);
  const writer = new ValueWriter(allowed, semicolons);
  let token = tokens.next();
  for (; !writer.ends(token); token = tokens.next()) writer.take(token);
  return token.type === "end" ? writer.finished() : null;
}

/** The declarations of a `style` attribute. */
export function cleanDeclarations(css: string, allowed: Allowed = everything): Declaration[] {
  const tokens = new Tokens(css);
  const declarations: Declaration[] = [];
  // A brace that closes nothing is passed over: there is no block that it could end.
  for (let end = "}"; end === "}";) end = readDeclarations(tokens, declarations, allowed);
  return declarations;
}

/** Reads declarations up to the end of their block, which is told: `}`, or nothing at the end of the text. */
function readDeclarations(tokens: Tokens, into: Declaration[], allowed: Allowed): "}" | "" {
  for (;;) {
    let token = tokens.next();
    while (token.type === "space" || token.type === "comment" || isDelimiter(token, ";")) token = tokens.next();
    const end = readDeclaration(tokens, token, into, allowed);
    if (end !== ";") return end;
  }
}

/** Reads the declaration that begins with a token; tells what ended it: nothing at the end of the text. */
export function readDeclaration(
  tokens: Tokens,
  first: Token,
  into: Declaration[],
  allowed: Allowed = everything,
): ";" | "}" | "" {
  let token = first;
  if (token.type === "end") return "";
  if (isDelimiter(token, "}")) return "}";
  const property = token.type === "ident" ? propertyOf(token.value) : undefined;
  if (property !== undefined) token = nextSolid(tokens);
  const writer = new ValueWriter(allowed, false);
  if (property === undefined || !isDelimiter(token, ":")) writer.take({ type: "bad", value: "" });
  else token = tokens.next();
  for (; !writer.ends(token); token = tokens.next()) writer.take(token);
  const value = writer.finished();
  if (property !== undefined && value) into.push({ property, ...value });
  // A variable may stand for nothing.
  else if (property?.startsWith("--") && writer.isEmpty()) into.push({ property, text: "", references: [] });
  if (token.type === "end") return "";
  return isDelimiter(token, "}") ? "}" : ";";
}

/** Declarations as text. */
export function writtenDeclarations(declarations: readonly Declaration[]): string {
  return declarations.map(({ property, text }) => `${property}:${text}`).join(";");
}

export function isDelimiter({ type, value }: Token, letter: string): boolean {
  return type === "delimiter" && value === letter;
}

function nextSolid(tokens: Tokens): Token {
  let token = tokens.next();
  while (token.type === "space" || token.type === "comment") token = tokens.next();
  return token;
}

/** The name of a property that may stay; names of one's own keep their case. */
function propertyOf(name: string): string | undefined {
  if (name.startsWith("--")) return /^--[-\w]+$/.test(name) ? name : undefined;
  const property = name.toLowerCase();
  return PROPERTIES.has(property) ? property : undefined;
}
