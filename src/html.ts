/** Texts as they stand in the attributes of a page's elements. */

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

export function escapedHtml(value: string): string {
  return value.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

/** An address as a candidate of `srcset`, where white space and a comma would end it: both are written as their codes. */
export function candidateUrl(url: string): string {
  return url.replaceAll(/[\s,]/g, (character) => encodeURIComponent(character));
}
