/** Colors as requests send them. */

/** A color with straight alpha, four bytes: of sRGB in a request, of the space of its picture where it is painted. */
export type Rgba = readonly [red: number, green: number, blue: number, alpha: number];

export const WHITE: Rgba = [255, 255, 255, 255];
export const TRANSPARENT: Rgba = [0, 0, 0, 0];

/**
 * A hex color that has passed its schema: RGB, RRGGBB or eight digits, with or without a leading #.
 * Eight digits are read RRGGBBAA unless `form` is `argb`.
 */
export function parseColor(hex: string, form: "rgba" | "argb" = "rgba"): Rgba {
  const digits = hex.replace("#", "");
  const long = digits.length === 3 ? [...digits].map((digit) => digit + digit).join("") : digits;
  const value = (index: number) => Number.parseInt(long.slice(index * 2, index * 2 + 2), 16);
  if (long.length === 6) return [value(0), value(1), value(2), 255];
  if (form === "argb") return [value(1), value(2), value(3), value(0)];
  return [value(0), value(1), value(2), value(3)];
}
