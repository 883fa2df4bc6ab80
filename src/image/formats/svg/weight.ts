/**
 * What reading a document holds, told by a look at its bytes that keeps nothing: its marks are counted, whatever they
 * belong to. Each figure is measured on documents that have nothing else, with a little to spare.
 */
import type { Estimate } from "../../../../wasm/estimate.ts";
import { MAX_RULES } from "./css.ts";
import { BOUNDS } from "./document.ts";

/** An element in all the representations that it has at once. */
const ELEMENT_BYTES = 540;
/** A value between quotes, with its name. */
const ATTRIBUTE_BYTES = 72;
/** What an element holds besides that has elements or text in it. */
const CONTENT_BYTES = 260;
/** A reference to a place, and what is counted of the element that it means. */
const REFERENCE_BYTES = 320;
/** A declaration of a style. */
const DECLARATION_BYTES = 250;
/** The rule around declarations, with its selectors. */
const RULE_BYTES = 1_300;
/** A letter in the text and in what is made of it. */
const LETTER_BYTES = 6;
/** What no mark tells: selectors, names. */
export const LEAST_READING_BYTES = 2 << 20;
/** To read and clean a letter, and an element besides. */
const LETTER_NANOSECONDS = 300;
const ELEMENT_NANOSECONDS = 4_000;

/** Beyond these a document is refused, and read no further. */
const MOST_ELEMENTS = BOUNDS.elements + 1;
const MOST_RULES = 2 * MAX_RULES;

/** What stands in a document. */
export interface Marks {
  readonly letters: number;
  readonly elements: number;
  readonly attributes: number;
  /** Elements with something in them. */
  readonly contents: number;
  readonly references: number;
  readonly declarations: number;
  readonly rules: number;
}

const [SLASH, BANG, QUESTION, LESS, DOUBLE, SINGLE, HASH, COLON, BRACE] = Array.from("/!?<\"'#:{", (letter) =>
  letter.charCodeAt(0),
);

/** Counts the marks of a document. @param bytes without compression */
export function marksOf(bytes: Uint8Array): Marks {
  let [elements, contents, quotes, references, declarations, rules] = [0, 0, 0, 0, 0, 0];
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    // Most bytes are letters and digits.
    if (byte === undefined || (byte > 0x3f && byte !== BRACE)) continue;
    if (byte === LESS) {
      const next = bytes[at + 1];
      if (next === SLASH) contents++;
      else if (next !== BANG && next !== QUESTION) elements++;
    } else if (byte === DOUBLE || byte === SINGLE) quotes++;
    else if (byte === HASH) references++;
    else if (byte === COLON) declarations++;
    else if (byte === BRACE) rules++;
  }
  return { letters: bytes.length, elements, contents, attributes: quotes / 2, references, declarations, rules };
}

/** What reading a document holds and takes, at most. */
export function readingEstimate(marks: Marks): Estimate {
  const bytes =
    LEAST_READING_BYTES +
    Math.min(marks.elements, MOST_ELEMENTS) * ELEMENT_BYTES +
    Math.min(marks.contents, MOST_ELEMENTS) * CONTENT_BYTES +
    marks.attributes * ATTRIBUTE_BYTES +
    marks.references * REFERENCE_BYTES +
    marks.declarations * DECLARATION_BYTES +
    Math.min(marks.rules, MOST_RULES) * RULE_BYTES +
    marks.letters * LETTER_BYTES;
  const nanoseconds =
    marks.letters * LETTER_NANOSECONDS + Math.min(marks.elements, MOST_ELEMENTS) * ELEMENT_NANOSECONDS;
  return { bytes, ms: nanoseconds / 1e6 };
}
