/** Names of objects by patterns: `*` is anything but a slash, `**` anything, `?` one character. */

/** Places between the characters of a name, as bits of one number: that after the first character is bit 1. */
type Places = bigint;

/** A name as it is compared with patterns. */
interface Name {
  readonly length: number;
  /** Where each character ends. */
  readonly ends: ReadonlyMap<string, Places>;
  /** Where characters end that are no slash. */
  readonly within: Places;
}

/** Whether one of some patterns fits a name; those without a slash are about the last part of the name alone. */
export function anyFits(patterns: readonly string[], key: string): boolean {
  let [whole, last]: (Name | undefined)[] = [];
  return patterns.some((pattern) => {
    if (pattern.includes("/")) return matches(pattern, (whole ??= nameOf(key)));
    return matches(pattern, (last ??= nameOf(key.slice(key.lastIndexOf("/") + 1))));
  });
}

function nameOf(text: string): Name {
  const ends = new Map<string, Places>();
  let within = 0n;
  for (let at = 0, place = 2n; at < text.length; at += 1, place <<= 1n) {
    const letter = text.charAt(at);
    ends.set(letter, (ends.get(letter) ?? 0n) | place);
    if (letter !== "/") within |= place;
  }
  return { length: text.length, ends, within };
}

/**
 * Every beginning of the name that the pattern so far fits, for all of them at once with each character of the pattern: a
 * thousand long names by 64 long patterns are a second of work, where one place after the other takes 20, and a regular
 * expression could take for ever.
 */
function matches(pattern: string, { length, ends, within }: Name): boolean {
  const all = (2n << BigInt(length)) - 1n;
  let fitting: Places = 1n;
  for (let at = 0; at < pattern.length && fitting !== 0n; at += 1) {
    const letter = pattern.charAt(at);
    if (letter !== "*") fitting = (fitting << 1n) & (letter === "?" ? within : (ends.get(letter) ?? 0n));
    else if (pattern[at + 1] === "*") {
      at += 1;
      fitting = all & -(fitting & -fitting);
    } else fitting = filled(fitting, within);
  }
  return fitting >> BigInt(length) === 1n;
}

/** Those places and all behind them up to the next that is not allowed: a sum carries through those that are. */
function filled(places: Places, allowed: Places): Places {
  const first = (places << 1n) & allowed;
  return places | ((((allowed + first) ^ allowed) | first) & allowed);
}
