/**
 * A text without the characters of one kind that it ends in, in a time that follows its length: a regular expression that is
 * bound to the end alone, `/=+$/`, is tried at every character of a run that is not at the end, which is time squared.
 */
export function withoutEnd(text: string, character: string): string {
  let end = text.length;
  while (end > 0 && text.charAt(end - 1) === character) end--;
  return text.slice(0, end);
}
