/** What characters are called that no font aboard has. */
import { whenNeeded } from "../../when-needed.ts";

/** Scripts that are written in by millions, by their names in Unicode. */
const SCRIPTS = [
  ..."Arabic Armenian Bengali Devanagari Ethiopic Georgian Gujarati Gurmukhi Han Hangul Hebrew Hiragana".split(" "),
  ..."Kannada Katakana Khmer Lao Malayalam Mongolian Myanmar Oriya Sinhala Syriac Tamil Telugu Thaana".split(" "),
  ..."Thai Tibetan Latin Greek Cyrillic".split(" "),
];
/** Of these, fonts have all that is common. */
const ABOARD = new Set(["Latin", "Greek", "Cyrillic"]);

const tests = whenNeeded(() => SCRIPTS.map((name) => [name, new RegExp(`^\\p{Script=${name}}$`, "u")] as const));

/** The script of a character, or what it is else. */
export function nameOf(character: string): string {
  const [script] = tests().find(([, test]) => test.test(character)) ?? [];
  if (script) return ABOARD.has(script) ? `rare letters of ${script}` : script;
  if (/^[\p{Extended_Pictographic}\p{Regional_Indicator}]$/u.test(character)) return "emoji";
  return /^\p{L}|\p{M}$/u.test(character) ? "letters of a rare script" : "rare symbols";
}
