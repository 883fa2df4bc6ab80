/** Custom properties of CSS (CSS Custom Properties Level 1): what `var()` stands for. */

/** A value as it was said, and the variables of the element that said it. */
interface Said {
  readonly value: string;
  readonly variables: Variables;
}

/** Values by their names, as an element has them from itself and from those around it. */
export interface Variables {
  readonly get: (name: string) => Said | undefined;
}

export const NO_VARIABLES: Variables = { get: () => undefined };

/**
 * Those of an element within others. Nothing is copied: many elements may have one of their own within thousands.
 * @param own as they are said; words that stand for the value around, or for none, are taken for that
 */
export function within(around: Variables, own: ReadonlyMap<string, string>): Variables {
  const variables: Variables = {
    get(name) {
      const value = own.get(name);
      const word = value?.trim().toLowerCase();
      if (value === undefined || (word !== undefined && OUTER.has(word))) return around.get(name);
      return word === "initial" ? undefined : { value, variables };
    },
  };
  return variables;
}

/** Words by which a variable has the value around it, for variables are inherited. */
const OUTER = new Set(["inherit", "unset", "revert", "revert-layer"]);
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
  const stated = own && substituted(own.value, own.variables, letters, depth + 1);
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
