/** Names of objects by patterns: `*` is anything but a slash, `**` anything, `?` one character. */

/** Whether a pattern fits a name; one without a slash is about the last part of the name alone. */
export function fits(pattern: string, key: string): boolean {
  const name = pattern.includes("/") ? key : key.slice(key.lastIndexOf("/") + 1);
  return matches(pattern, name);
}

/**
 * Every prefix of the name that the pattern so far fits, character by character of the pattern: as many steps as both are
 * long, whatever they say, where a regular expression could take for ever.
 */
function matches(pattern: string, name: string): boolean {
  let fitting = new Uint8Array(name.length + 1);
  fitting[0] = 1;
  for (let at = 0; at < pattern.length; at += 1) {
    const next = new Uint8Array(name.length + 1);
    const letter = pattern[at];
    if (letter === "*") {
      const isDeep = pattern[at + 1] === "*";
      if (isDeep) at += 1;
      for (let end = 0; end <= name.length; end += 1) {
        const goesOn = end > 0 && next[end - 1] === 1 && (isDeep || name[end - 1] !== "/");
        next[end] = fitting[end] === 1 || goesOn ? 1 : 0;
      }
    } else {
      for (let end = 1; end <= name.length; end += 1) {
        const isSame = letter === "?" ? name[end - 1] !== "/" : name[end - 1] === letter;
        next[end] = isSame && fitting[end - 1] === 1 ? 1 : 0;
      }
    }
    fitting = next;
  }
  return fitting[name.length] === 1;
}
