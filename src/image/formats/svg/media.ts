/** Conditions of style rules: `@media` and `@supports`. */
import type { Size } from "../../pixels/geometry.ts";
import { PROPERTIES } from "./css-names.ts";
import { lengthOf } from "./lengths.ts";

/** Whether the condition of a rule holds for a picture at rest, in light surroundings. */
export function holds(condition: string, size: Size): boolean {
  const [, name, text = ""] = /^(\S+)\s*([\s\S]*)$/.exec(condition) ?? [];
  if (name === "layer") return true;
  if (name === "supports") return supports(text);
  return text.split(",").some((query) => {
    const [, not, rest = ""] = /^(not )?([\s\S]*)$/i.exec(query.trim().replaceAll(/\s+/g, " ")) ?? [];
    return rest.split(/ and /i).every((part) => holdsPart(part.trim(), size)) === (not === undefined);
  });
}

/** Whether properties are known that a condition names; one with more than `not` before it is said to hold. */
function supports(text: string): boolean {
  const [, not, property = ""] = /^(not\s+)?\(\s*([\w-]+)\s*:[^()]*\)$/i.exec(text.trim()) ?? [];
  if (property === "") return !/\bnot\b/i.test(text);
  return PROPERTIES.has(property.toLowerCase()) === (not === undefined);
}

function holdsPart(part: string, { width, height }: Size): boolean {
  const lower = part.toLowerCase();
  if (lower === "" || lower === "all" || lower === "screen" || lower === "only screen") return true;
  const [, feature, value = ""] = /^\(\s*([\w-]+)\s*(?::([^)]*))?\)$/.exec(lower) ?? [];
  if (feature === "prefers-color-scheme") return value.trim() === "light";
  if (feature === "prefers-reduced-motion") return value.trim() === "no-preference";
  const [, bound, side] = /^(min|max)-(width|height)$/.exec(feature ?? "") ?? [];
  const length = lengthOf(value);
  if (bound === undefined || length === undefined) return false;
  const own = side === "width" ? width : height;
  return bound === "min" ? own >= length : own <= length;
}
