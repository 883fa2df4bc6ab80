/**
 * CSS as tokens (CSS Syntax Level 3, section 4), one at a time and each character once, so that a hostile text takes no
 * longer than any other of its length.
 */

type TokenType =
  | "ident"
  | "function"
  | "at"
  | "hash"
  | "number"
  | "string"
  | "url"
  | "space"
  | "comment"
  | "delimiter"
  | "bad"
  | "end";

export interface Token {
  readonly type: TokenType;
  /** Names, strings and addresses without escapes and quotes; everything else as it is written. */
  readonly value: string;
}

const END: Token = { type: "end", value: "" };
const SPACE: Token = { type: "space", value: " " };
const COMMENT: Token = { type: "comment", value: "" };
const BAD: Token = { type: "bad", value: "" };

const isSpace = (letter: string) =>
  letter === " " || letter === "\n" || letter === "\t" || letter === "\r" || letter === "\f";
const isHex = (letter: string) => /^[\da-f]$/i.test(letter);
const isNameStart = (letter: string) => /^[a-z_\u0080-\uffff]$/i.test(letter);

/** Runs of letters that mean nothing but themselves. */
const NAME_RUN = /[-\w\u0080-\uffff]+/y;
const STRING_RUN = /[^"'\\\n\r\f]+/y;
const URL_RUN = /[^"'()\\\s\p{Cc}]+/uy;
const NUMBER = /[+-]?(?:\d+(?:\.\d+)?|\.\d+)(?:e[+-]?\d+)?/iy;

/** The tokens of a text, in order; `end` for ever after the last. */
export class Tokens {
  private at = 0;
  private readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /** Where the next token begins. */
  get place(): number {
    return this.at;
  }

  /** Goes back to where a token began. */
  goTo(place: number): void {
    this.at = place;
  }

  next(): Token {
    const { text } = this;
    const letter = text.charAt(this.at);
    if (letter === "") return END;
    if (isSpace(letter)) return this.space();
    if (text.startsWith("/*", this.at)) return this.comment();
    if (letter === '"' || letter === "'") return this.string();
    if (this.startsNumber()) return this.number();
    if (text.startsWith("-->", this.at)) return this.pass(3, COMMENT);
    if (this.startsName(this.at)) return this.word();
    if (text.startsWith("<!--", this.at)) return this.pass(4, COMMENT);
    this.at++;
    if (letter === "@" && this.startsName(this.at)) return { type: "at", value: this.name() };
    if (letter === "#" && (this.startsName(this.at) || /^[-\w]$/.test(text.charAt(this.at)))) {
      return { type: "hash", value: this.name() };
    }
    return { type: "delimiter", value: letter };
  }

  private pass(letters: number, token: Token): Token {
    this.at += letters;
    return token;
  }

  private space(): Token {
    this.skipSpace();
    return SPACE;
  }

  private skipSpace(): void {
    while (isSpace(this.text.charAt(this.at))) this.at++;
  }

  private comment(): Token {
    const end = this.text.indexOf("*/", this.at + 2);
    this.at = end < 0 ? this.text.length : end + 2;
    return COMMENT;
  }

  /** The text that a pattern matches at this place. */
  private run(pattern: RegExp): string {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0] ?? "";
    this.at += found.length;
    return found;
  }

  private string(): Token {
    const quote = this.text.charAt(this.at++);
    let value = "";
    for (;;) {
      value += this.run(STRING_RUN);
      const letter = this.text.charAt(this.at);
      if (letter === "") return { type: "string", value };
      if (letter === "\n" || letter === "\r" || letter === "\f") return BAD;
      if (letter === "\\") value += this.stringEscape();
      else this.at++;
      if (letter === quote) return { type: "string", value };
      if (letter !== "\\") value += letter;
    }
  }

  /** A backslash at the end of a line, or of the text, is nothing in a string. */
  private stringEscape(): string {
    const next = this.text.charAt(this.at + 1);
    if (this.isEscape(this.at)) return this.escape();
    this.at += next === "\r" && this.text.charAt(this.at + 2) === "\n" ? 3 : 2;
    return "";
  }

  private startsNumber(): boolean {
    NUMBER.lastIndex = this.at;
    return NUMBER.test(this.text);
  }

  private number(): Token {
    const value = this.run(NUMBER);
    if (this.text.charAt(this.at) === "%") return this.pass(1, { type: "number", value: `${value}%` });
    if (!this.startsName(this.at)) return { type: "number", value };
    const start = this.at;
    const unit = this.name();
    // A unit of escapes could become part of the number when it is written without them.
    return unit === this.text.slice(start, this.at) ? { type: "number", value: value + unit } : BAD;
  }

  private word(): Token {
    const value = this.name();
    if (this.text.charAt(this.at) !== "(") return { type: "ident", value };
    this.at++;
    return value.toLowerCase() === "url" ? this.url() : { type: "function", value };
  }

  private isEscape(at: number): boolean {
    const next = this.text.charAt(at + 1);
    return this.text.charAt(at) === "\\" && next !== "" && next !== "\n" && next !== "\r" && next !== "\f";
  }

  private startsName(at: number): boolean {
    const letter = this.text.charAt(at);
    if (letter !== "-") return isNameStart(letter) || this.isEscape(at);
    const next = this.text.charAt(at + 1);
    return next === "-" || isNameStart(next) || this.isEscape(at + 1);
  }

  private name(): string {
    let value = "";
    for (;;) {
      value += this.run(NAME_RUN);
      if (!this.isEscape(this.at)) return value;
      value += this.escape();
    }
  }

  private escape(): string {
    this.at++;
    let digits = "";
    while (digits.length < 6 && isHex(this.text.charAt(this.at))) digits += this.text.charAt(this.at++);
    if (digits === "") {
      const letter = String.fromCodePoint(this.text.codePointAt(this.at) ?? 0xfffd);
      this.at += letter.length;
      return letter;
    }
    if (isSpace(this.text.charAt(this.at))) this.at++;
    const code = Number.parseInt(digits, 16);
    const isCharacter = code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
    return String.fromCodePoint(isCharacter ? code : 0xfffd);
  }

  /** What follows `url(`, quoted or not. */
  private url(): Token {
    this.skipSpace();
    const letter = this.text.charAt(this.at);
    const quoted = letter === '"' || letter === "'";
    const token = quoted ? this.string() : this.bareUrl();
    this.skipSpace();
    const close = this.text.charAt(this.at);
    if (token.type !== "bad" && (close === ")" || close === ""))
      return this.pass(1, { type: "url", value: token.value });
    return this.badUrl();
  }

  private bareUrl(): Token {
    let value = "";
    for (;;) {
      value += this.run(URL_RUN);
      if (!this.isEscape(this.at)) return { type: "string", value };
      value += this.escape();
    }
  }

  private badUrl(): Token {
    for (;;) {
      const letter = this.text.charAt(this.at);
      if (letter === "") return BAD;
      if (this.isEscape(this.at)) this.escape();
      else this.at++;
      if (letter === ")") return BAD;
    }
  }
}

/** A name as it is written (CSSOM, section 2.1), with escapes where it needs them. */
export function writtenName(name: string): string {
  if (/^(?:--|-?[a-z_\u0080-\uffff])[-\w\u0080-\uffff]*$/i.test(name)) return name;
  const escaped = name.replace(/[^-\w\u0080-\uffff]/g, escapedLetter);
  return escaped.replace(/^-?\d/, (start) => start.slice(0, -1) + escapedLetter(start.slice(-1))).replace(/^-$/, "\\-");
}

/** A string as it is written: without letters that mean something to XML or HTML. */
export function writtenString(value: string): string {
  return `'${value.replace(/[\p{Cc}'"\\<>&]/gu, escapedLetter)}'`;
}

/** A reference to a place in the same document. */
export function writtenReference(id: string): string {
  return /^[-\w.:\u0080-\uffff]+$/.test(id) ? `url(#${id})` : `url(${writtenString(`#${id}`)})`;
}

function escapedLetter(letter: string): string {
  return /[\p{Cc}\d<>&"]/u.test(letter) ? `\\${letter.charCodeAt(0).toString(16)} ` : `\\${letter}`;
}
