/** Lengths of CSS in pixels (CSS Values and Units Level 4, section 6). */

const UNITS: Readonly<Record<string, number>> = {
  "": 1,
  px: 1,
  pt: 4 / 3,
  pc: 16,
  in: 96,
  cm: 96 / 2.54,
  mm: 96 / 25.4,
  q: 96 / 101.6,
  em: 16,
  rem: 16,
  ex: 8,
  ch: 8,
};

/** Letters of a length; what is longer says nothing. */
const MAX_LETTERS = 200;
const LENGTH = /^\s*([+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?)([a-z]*|%)\s*$/i;

/**
 * A length in pixels; undefined for what is none.
 * @param whole what a percentage is of; without it, percentages are no lengths
 */
export function lengthOf(text: string | undefined, whole?: number): number | undefined {
  if (text === undefined || text.length > MAX_LETTERS) return undefined;
  const [, number, unit = ""] = LENGTH.exec(text) ?? [];
  if (number === undefined) return undefined;
  const factor = unit === "%" ? (whole === undefined ? undefined : whole / 100) : UNITS[unit.toLowerCase()];
  if (factor === undefined) return undefined;
  const length = Number(number) * factor;
  return Number.isFinite(length) ? length : undefined;
}
