/**
 * The search through the documentation: sections that have every word, as a word or the beginning of one; where there are
 * none, sections that have some. A section is also found by the words that people use who do not know our name for it.
 */

/**
 * @typedef {{ page: string, heading: string, path: string, text: string, words?: string, inside?: boolean }} Entry a section of a
 * page, and whether that is for those who change the service
 */
/** @typedef {{ entry: Entry, score: number, snippet: string, words: readonly string[] }} Found */

/** Where a word counts for how much: a heading says what a section is about, its text only that the word occurs. */
const WEIGHTS = { heading: 12, words: 12, page: 6, text: 1 };
/** What somebody types as a whole is what a section says it is looked for by. */
const PHRASE = 60;
/** A whole word says more than the beginning of one. */
const WHOLE = 2;
/** Occurrences beyond this many say nothing more. */
const MOST_OCCURRENCES = 4;
/** A word in another form, "resizing" for "resize", says less than the one that was typed. */
const OTHER_FORM = 0.5;
/** Shorter stems are beginnings of too many words. */
const SHORTEST_STEM = 4;
/** Most people use the service: what is for those who change it comes after what is for all. */
const INSIDE = 0.4;
/** Words of every sentence, here or anywhere, which say nothing about what is looked for. */
const EVERYWHERE = new Set(
  "image images picture pictures photo photos a an and are can do does for from how i in is it much my of on or the to what when where which why with".split(
    " ",
  ),
);
/** The text around the first word that was found, in characters. */
const SNIPPET = 130;

/**
 * What is looked for in a text; words of every sentence only where there are no others.
 * @param {string} query
 */
function wordsOf(query) {
  const all = query.toLowerCase().match(/[\p{L}\p{N}_]+#?/gu) ?? [];
  const telling = all.filter((word) => !EVERYWHERE.has(word));
  return telling.length > 0 ? telling : all;
}

/**
 * A search through these entries, best first.
 * @param {readonly Entry[]} entries
 * @returns {(query: string) => Found[]}
 */
export function createSearch(entries) {
  return (query) => {
    const phrase = query.trim().toLowerCase();
    const words = wordsOf(query);
    if (words.length === 0) return [];
    const found = entries
      .map((entry) => ({ entry, scores: words.map((word) => scoreOf(entry, word)) }))
      .filter(({ scores }) => scores.some((score) => score > 0));
    const whole = found.filter(({ scores }) => scores.every((score) => score > 0));
    return (whole.length > 0 ? whole : found)
      .map(({ entry, scores }) => ({
        entry,
        score: sum(scores) * (entry.inside ? INSIDE : 1) + phraseScore(entry, phrase),
        snippet: snippetOf(entry.text, words),
        words,
      }))
      .sort((one, other) => other.score - one.score);
  };
}

/**
 * @param {Entry} entry
 * @param {string} phrase
 */
function phraseScore({ words = "" }, phrase) {
  return words.split(", ").includes(phrase) ? PHRASE : 0;
}

/** @param {readonly number[]} values */
function sum(values) {
  return values.reduce((total, value) => total + value, 0);
}

/**
 * @param {Entry} entry
 * @param {string} word
 */
function scoreOf(entry, word) {
  const stem = stemOf(word);
  return scoreOfForm(entry, word) + (stem === word ? 0 : OTHER_FORM * scoreOfForm(entry, stem));
}

/**
 * @param {Entry} entry
 * @param {string} word
 */
function scoreOfForm({ heading, page, text, words = "" }, word) {
  return (
    WEIGHTS.heading * occurrences(heading, word) +
    WEIGHTS.words * Math.min(occurrences(words, word), WHOLE) +
    WEIGHTS.page * occurrences(page, word) +
    WEIGHTS.text * occurrences(text, word)
  );
}

/**
 * A word without the ending of a plural or a participle: "cropping" is "crop", "limits" is "limit".
 * @param {string} word
 */
function stemOf(word) {
  const stem = word.replace(/(?:ing|ed|es|s)$/u, "");
  if (stem.length < SHORTEST_STEM) return word;
  return stem.replace(/([bdgmnprt])\1$/u, "$1");
}

/**
 * How often a word occurs, whole ones counted for more.
 * @param {string} text
 * @param {string} word
 */
function occurrences(text, word) {
  const lower = text.toLowerCase();
  let count = 0;
  for (const { index } of matches(lower, word)) {
    const next = lower[index + word.length] ?? "";
    count += /[\p{L}\p{N}_]/u.test(next) ? 1 : WHOLE;
    if (count >= MOST_OCCURRENCES) return MOST_OCCURRENCES;
  }
  return count;
}

/**
 * Where a word begins in a text.
 * @param {string} text in small letters
 * @param {string} word letters, digits, underscores and number signs only, so that it is no pattern
 */
function matches(text, word) {
  return text.matchAll(new RegExp(`(?<![\\p{L}\\p{N}])${word}`, "gu"));
}

/**
 * @param {string} text
 * @param {readonly string[]} words
 */
function snippetOf(text, words) {
  const lower = text.toLowerCase();
  const places = words.flatMap((word) => [...matches(lower, word)].slice(0, 1).map(({ index }) => index));
  const first = places.length === 0 ? 0 : Math.min(...places);
  const from = first < SNIPPET / 2 ? 0 : text.indexOf(" ", first - SNIPPET / 3) + 1;
  const cut = text.slice(from, from + SNIPPET);
  return (from > 0 ? "… " : "") + cut + (from + SNIPPET < text.length ? " …" : "");
}

/**
 * A text in parts, those that were looked for marked.
 * @param {string} text
 * @param {readonly string[]} words
 * @returns {{ text: string, hit: boolean }[]}
 */
export function marked(text, words) {
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}])(${words.join("|")})`, "giu");
  return text.split(pattern).map((part, index) => ({ text: part, hit: index % 2 === 1 }));
}
