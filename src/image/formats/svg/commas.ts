/** Lists of CSS: of selectors, of the parts of a function. */

/** Parts of a text between commas that are in no brackets and no string. */
export function partedByCommas(text: string): string[] {
  const parts: string[] = [];
  let [open, start, quote] = [0, 0, ""];
  for (let at = 0; at < text.length; at++) {
    const letter = text.charAt(at);
    if (letter === "\\") at++;
    else if (quote !== "") quote = letter === quote ? "" : quote;
    else if (letter === '"' || letter === "'") quote = letter;
    else if (letter === "(" || letter === "[") open++;
    else if (letter === ")" || letter === "]") open--;
    else if (letter === "," && open === 0) {
      parts.push(text.slice(start, at).trim());
      start = at + 1;
    }
  }
  return [...parts, text.slice(start).trim()];
}

/** Words between blanks that are in no brackets. */
export function wordsOf(text: string): string[] {
  const words: string[] = [];
  let [open, word] = [0, ""];
  for (const letter of `${text} `) {
    if (open === 0 && /\s/.test(letter)) {
      if (word !== "") words.push(word);
      word = "";
      continue;
    }
    if (letter === "(") open++;
    else if (letter === ")") open--;
    word += letter;
  }
  return words;
}
