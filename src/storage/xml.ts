/** What is read of the answers of stores in XML: elements by their name, which do not lie in each other, and their text. */

/**
 * The insides of all elements of a name. A tag ends before the next one begins: an answer of tags that never end is gone
 * through once, not once for each of them.
 */
export function elementsOf(xml: string, name: string): string[] {
  return xml
    .split(new RegExp(`<${name}(?: [^<>]*)?>`))
    .slice(1)
    .map((rest) => rest.split(`</${name}>`, 1)[0] ?? "");
}

/** The text of the first element of a name; undefined where there is none. */
export function textOf(xml: string, name: string): string | undefined {
  const [element] = elementsOf(xml, name);
  return element === undefined ? undefined : unescaped(element);
}

const NAMED: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };

function unescaped(text: string): string {
  return text.replace(
    /&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w{2,4}));/gi,
    (whole, decimal?: string, hex?: string, name?: string) => {
      if (name !== undefined) return NAMED[name] ?? whole;
      const code = decimal === undefined ? Number.parseInt(hex ?? "", 16) : Number(decimal);
      // Half of a surrogate pair is no character, and no address can have it.
      return code <= 0x10_ff_ff ? String.fromCodePoint(code).toWellFormed() : whole;
    },
  );
}
