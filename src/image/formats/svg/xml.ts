/**
 * XML documents (XML 1.0, fifth edition) read in one pass. Elements and text are told as they come, and nothing of them is
 * kept: what a document holds is what its reader takes of it. Entities are those that the document declares itself; they
 * may hold elements, and what all of them add is bounded.
 */

/** Takes what a document says, in order. */
export interface XmlHandler {
  /** @param attributes the reader's, and changed by it afterwards */
  open(name: string, attributes: ReadonlyMap<string, string>): void;
  text(text: string): void;
  close(): void;
}

/** The document is not well-formed. */
export class NotWellFormed extends Error {}

/** The document has more of something than is read. */
export class TooMuchXml extends Error {}

export interface XmlBounds {
  readonly elements: number;
  /** Elements in each other. */
  readonly depth: number;
  /** Attributes of one element. */
  readonly attributes: number;
  readonly entities: number;
  /** Letters that entities stand for, as often as they are used. */
  readonly expansion: number;
  /** Elements in entities, as often as they are used. */
  readonly entityElements: number;
}

/** Entities in entities. */
const MAX_ENTITY_DEPTH = 16;

/** Names, those of letters beyond ASCII without a look at each (sections 2.3 and 2.2). */
const NAME = /[:A-Z_a-z\u00c0-\uffff][-.:\w\u00b7-\uffff]*/y;
const SPACE = /[ \t\r\n]*/y;
const NOT_SPACE = /[^ \t\r\n]/;
const REFERENCE = /&(?:#(\d{1,8})|#x([\da-fA-F]{1,7})|([^\s&;<]{1,200}));/g;
const PREDEFINED: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };
/** Characters that no document has (section 2.2). */
// oxlint-disable-next-line no-control-regex -- they are looked for
const FORBIDDEN = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/;

/**
 * Reads a document.
 * @throws NotWellFormed
 * @throws TooMuchXml when it is beyond the bounds
 */
export function readXml(text: string, handler: XmlHandler, bounds: XmlBounds): void {
  if (FORBIDDEN.test(text)) throw new NotWellFormed();
  new XmlReader(handler, bounds).document(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);
}

class XmlReader {
  private readonly handler: XmlHandler;
  private readonly bounds: XmlBounds;
  private readonly open: string[] = [];
  private readonly attributes = new Map<string, string>();
  private entities: ReadonlyMap<string, string> = new Map();
  private elements = 0;
  private expanded = 0;
  private entityElements = 0;

  constructor(handler: XmlHandler, bounds: XmlBounds) {
    this.handler = handler;
    this.bounds = bounds;
  }

  document(text: string): void {
    this.content(text, 0);
    if (this.elements === 0) throw new NotWellFormed();
  }

  /** Reads content to its end, where as many elements are open as at its beginning. */
  private content(text: string, entityDepth: number): void {
    const level = this.open.length;
    let at = 0;
    while (at < text.length) {
      const next = text.indexOf("<", at);
      const end = next < 0 ? text.length : next;
      if (end > at) this.letters(text, at, end, entityDepth);
      if (next < 0) break;
      if (text.startsWith("</", next)) {
        if (this.open.length === level) throw new NotWellFormed();
        at = this.closing(text, next);
      } else if (text.startsWith("<!--", next)) at = after(text, "-->", next + 4);
      else if (text.startsWith("<![CDATA[", next)) {
        const close = text.indexOf("]]>", next);
        if (close < 0 || this.open.length === 0) throw new NotWellFormed();
        this.handler.text(withPlainEnds(text.slice(next + 9, close)));
        at = close + 3;
      } else if (text.startsWith("<?", next)) at = after(text, "?>", next + 2);
      else if (text.startsWith("<!DOCTYPE", next) && this.elements === 0 && entityDepth === 0) {
        at = this.documentType(text, next);
      } else {
        if (entityDepth > 0 && ++this.entityElements > this.bounds.entityElements) throw new TooMuchXml();
        at = this.opening(text, next);
      }
    }
    if (this.open.length !== level) throw new NotWellFormed();
  }

  /** Takes text between marks. Text with entities is told in pieces. */
  private letters(text: string, from: number, to: number, entityDepth: number): void {
    const piece = text.slice(from, to);
    if (this.open.length === 0) {
      if (NOT_SPACE.test(piece)) throw new NotWellFormed();
      return;
    }
    if (piece.includes("]]>")) throw new NotWellFormed();
    const plain = withPlainEnds(piece);
    if (!plain.includes("&")) {
      this.handler.text(plain);
      return;
    }
    let at = 0;
    for (const found of plain.matchAll(REFERENCE)) {
      this.plain(plain.slice(at, found.index));
      at = found.index + found[0].length;
      const letter = characterOf(found);
      if (letter !== undefined) this.handler.text(letter);
      else this.content(this.entity(found[3] ?? "", entityDepth), entityDepth + 1);
    }
    this.plain(plain.slice(at));
  }

  private plain(text: string): void {
    if (text.includes("&")) throw new NotWellFormed();
    if (text !== "") this.handler.text(text);
  }

  /** What an entity stands for, which is counted. */
  private entity(name: string, depth: number): string {
    const value = this.entities.get(name);
    if (value === undefined || depth >= MAX_ENTITY_DEPTH) throw new NotWellFormed();
    this.expanded += value.length + 1;
    if (this.expanded > this.bounds.expansion) throw new TooMuchXml();
    return value;
  }

  private closing(text: string, at: number): number {
    const name = this.open.pop() ?? "";
    if (!text.startsWith(name, at + 2)) throw new NotWellFormed();
    const end = spaceEnd(text, at + 2 + name.length);
    if (text.charAt(end) !== ">") throw new NotWellFormed();
    this.handler.close();
    return end + 1;
  }

  private opening(text: string, at: number): number {
    const { attributes, bounds } = this;
    const name = nameAt(text, at + 1);
    if (this.open.length === 0 && this.elements > 0) throw new NotWellFormed();
    if (++this.elements > bounds.elements || this.open.length > bounds.depth) throw new TooMuchXml();
    attributes.clear();
    let end = at + 1 + name.length;
    for (;;) {
      const start = spaceEnd(text, end);
      const letter = text.charAt(start);
      if (letter === ">") {
        this.open.push(name);
        this.handler.open(name, attributes);
        return start + 1;
      }
      if (letter === "/" && text.charAt(start + 1) === ">") {
        this.handler.open(name, attributes);
        this.handler.close();
        return start + 2;
      }
      if (start === end) throw new NotWellFormed();
      end = this.attribute(text, start);
    }
  }

  private attribute(text: string, at: number): number {
    const { attributes } = this;
    const name = nameAt(text, at);
    const equals = spaceEnd(text, at + name.length);
    if (text.charAt(equals) !== "=" || attributes.has(name)) throw new NotWellFormed();
    const start = spaceEnd(text, equals + 1);
    const quote = text.charAt(start);
    if (quote !== '"' && quote !== "'") throw new NotWellFormed();
    const end = text.indexOf(quote, start + 1);
    if (end < 0) throw new NotWellFormed();
    if (attributes.size >= this.bounds.attributes) throw new TooMuchXml();
    attributes.set(name, this.value(text.slice(start + 1, end), 0));
    return end + 1;
  }

  /** The value of an attribute (section 3.3.3). */
  private value(written: string, entityDepth: number): string {
    if (written.includes("<")) throw new NotWellFormed();
    const plain = /[\t\r\n]/.test(written) ? written.replace(/\r\n|[\t\r\n]/g, " ") : written;
    if (!plain.includes("&")) return plain;
    const parts: string[] = [];
    let at = 0;
    for (const found of plain.matchAll(REFERENCE)) {
      parts.push(plain.slice(at, found.index));
      if (parts.at(-1)?.includes("&")) throw new NotWellFormed();
      at = found.index + found[0].length;
      parts.push(characterOf(found) ?? this.value(this.entity(found[3] ?? "", entityDepth), entityDepth + 1));
    }
    const rest = plain.slice(at);
    if (rest.includes("&")) throw new NotWellFormed();
    return parts.join("") + rest;
  }

  /** Reads the type of the document with its entities; those of elsewhere are refused. */
  private documentType(text: string, at: number): number {
    let open = -1;
    for (let end = at + 9; end < text.length; end++) {
      const letter = text.charAt(end);
      if (letter === '"' || letter === "'") end = after(text, letter, end + 1) - 1;
      else if (letter === "[" && open < 0) open = end;
      else if (text.startsWith("<!--", end)) end = after(text, "-->", end + 4) - 1;
      else if (text.startsWith("<?", end)) end = after(text, "?>", end + 2) - 1;
      else if (letter === "]" && open >= 0) {
        this.entities = entitiesOf(text.slice(open, end), this.bounds.entities);
        const close = spaceEnd(text, end + 1);
        if (text.charAt(close) !== ">") throw new NotWellFormed();
        return close + 1;
      } else if (letter === ">" && open < 0) return end + 1;
    }
    throw new NotWellFormed();
  }
}

function after(text: string, end: string, from: number): number {
  const found = text.indexOf(end, from);
  if (found < 0) throw new NotWellFormed();
  return found + end.length;
}

function spaceEnd(text: string, at: number): number {
  SPACE.lastIndex = at;
  SPACE.exec(text);
  return SPACE.lastIndex;
}

function nameAt(text: string, at: number): string {
  NAME.lastIndex = at;
  const [name] = NAME.exec(text) ?? [];
  if (name === undefined) throw new NotWellFormed();
  return name;
}

/** Section 2.11. */
function withPlainEnds(text: string): string {
  return text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text;
}

/** The character that a reference stands for; undefined for an entity of the document. */
function characterOf([, decimal, hexadecimal, name = ""]: RegExpMatchArray): string | undefined {
  if (decimal === undefined && hexadecimal === undefined) {
    return Object.hasOwn(PREDEFINED, name) ? PREDEFINED[name] : undefined;
  }
  const code = decimal === undefined ? Number.parseInt(hexadecimal ?? "", 16) : Number(decimal);
  const isLetter = code <= 0x10_ffff && !(code >= 0xd800 && code <= 0xdfff);
  const letter = isLetter ? String.fromCodePoint(code) : "";
  if (!isLetter || FORBIDDEN.test(letter)) throw new NotWellFormed();
  return letter;
}

/** Entities by their names, the first of each (section 4.2); those from elsewhere, and parameters, are refused. */
function entitiesOf(subset: string, most: number): Map<string, string> {
  const entities = new Map<string, string>();
  if (/<!ENTITY\s+(?:%|[^\s"'>]{1,200}\s+(?:SYSTEM|PUBLIC))/.test(subset)) throw new NotWellFormed();
  for (const [, name = "", double, single] of subset.matchAll(
    /<!ENTITY\s+([^\s"'>%]{1,200})\s+(?:"([^"]*)"|'([^']*)')/g,
  )) {
    const value = double ?? single ?? "";
    if (value.includes("%") || entities.size >= most) throw new NotWellFormed();
    // References to characters are resolved where an entity is declared, all others where it is used (section 4.5).
    const resolved = value.replace(/&#(\d{1,8});|&#x([\da-fA-F]{1,7});/g, (...found) =>
      String(characterOf(found as unknown as RegExpMatchArray)),
    );
    if (!entities.has(name)) entities.set(name, resolved);
  }
  return entities;
}
