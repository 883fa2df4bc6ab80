/** Linear light and sRGB's encoding of it (IEC 61966-2-1), both 0 to 1. */

export function toLinear(encoded: number): number {
  return encoded <= 0.04045 ? encoded / 12.92 : ((encoded + 0.055) / 1.055) ** 2.4;
}

/** Also for light brighter than white. */
export function fromLinear(light: number): number {
  return light <= 0.0031308 ? light * 12.92 : 1.055 * light ** (1 / 2.4) - 0.055;
}

/** Linear light of each of the 256 levels. */
export function linearLevels(): Float32Array {
  return Float32Array.from({ length: 256 }, (_, level) => toLinear(level / 255));
}

/** The luma of an encoded color, by the weights of Rec. 709, in the unit of its channels. */
export function luma(red: number, green: number, blue: number): number {
  return LUMA[0] * red + LUMA[1] * green + LUMA[2] * blue;
}

export const LUMA = [0.2126, 0.7152, 0.0722] as const;

/** CIELAB under D65 (CIE 15:2004, 8.2.1) of an sRGB color in levels. */
export function toLab(red: number, green: number, blue: number): [lightness: number, a: number, b: number] {
  const [r, g, b] = [toLinear(red / 255), toLinear(green / 255), toLinear(blue / 255)];
  const fx = compressed((0.4124564 * r + 0.3575761 * g + 0.1804375 * b) / 0.95047);
  const fy = compressed(0.2126729 * r + 0.7151522 * g + 0.072175 * b);
  const fz = compressed((0.0193339 * r + 0.119192 * g + 0.9503041 * b) / 1.08883);
  return [116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)];
}

function compressed(t: number): number {
  return t > 216 / 24_389 ? Math.cbrt(t) : ((24_389 / 27) * t + 16) / 116;
}
