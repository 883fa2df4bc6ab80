/** Custom properties of CSS (CSS Custom Properties Level 1): what `var()` stands for. */

/** Values by their names, as an element has them from itself and from those around it. */
export interface Variables {
  readonly get: (name: string) => string | undefined;
}

export const NO_VARIABLES: Variables = new Map<string, string>();

/** Those of an element within others. Nothing is copied: many elements may have one of their own within thousands. */
export function within(around: Variables, own: ReadonlyMap<string, string>): Variables {
  return { get: (name) => own.get(name) ?? around.get(name) };
}

const MAX_DEPTH = 16;
/** Letters that all values of a drawing may become. */
export interface Letters {
  left: number;
}

/** A value without `var()`; undefined where one has neither a value nor another in its place. */
export function substituted(value: string, variables: Variables, letters: Letters, depth = 0): string | undefined {
  const found = /(^|[^\w-])var\(/i.exec(value);
  if (!found) return value;
  if (depth > MAX_DEPTH) return undefined;
  const start = found.index + (found[1] ?? "").length;
  const from = start + 4;
  const end = closing(value, from);
  const inner = value.slice(from, end);
  const comma = inner.indexOf(",");
  const name = (comma < 0 ? inner : inner.slice(0, comma)).trim();
  const fallback = comma < 0 ? undefined : inner.slice(comma + 1).trim();
  const own = variables.get(name);
  const stated = own === undefined ? undefined : substituted(own, variables, letters, depth + 1);
  const replaced =
    stated ?? (fallback === undefined ? undefined : substituted(fallback, variables, letters, depth + 1));
  if (replaced === undefined) return undefined;
  letters.left -= replaced.length + value.length;
  if (letters.left < 0) return undefined;
  const rest = substituted(value.slice(end + 1), variables, letters, depth);
  return rest === undefined ? undefined : value.slice(0, start) + replaced + rest;
}

/** Where the bracket that was opened before `at` is closed. */
function closing(text: string, at: number): number {
  let open = 1;
  for (let end = at; end < text.length; end++) {
    const letter = text.charAt(end);
    if (letter === "(") open++;
    else if (letter === ")" && --open === 0) return end;
  }
  return text.length;
}
