/** White balance: light of other color temperatures. */

/** The range over which the daylight locus is defined around D65, in reciprocal megakelvins to either side. */
const MIREDS = 96;
/** How far tint goes, in powers of two of green light. */
const TINT_STOPS = 0.35;

/**
 * Factors of linear red, green and blue that move white along the daylight locus (CIE 15:2004, 3.1), from D65 to
 * 4,000 K at `temperature` 1 and to 17,400 K at -1, and between green and magenta (`tint` 1). The luminance of white
 * stays, so neither looks like a change of exposure.
 */
export function whiteBalance(temperature: number, tint: number): readonly [number, number, number] {
  const neutral = daylight(0);
  const green = 2 ** (-tint * TINT_STOPS);
  const gains = daylight(temperature).map(
    (value, channel) => (value / neutral[channel]!) * (channel === 1 ? green : 1),
  );
  const luminance = 0.2126 * gains[0]! + 0.7152 * gains[1]! + 0.0722 * gains[2]!;
  return [gains[0]! / luminance, gains[1]! / luminance, gains[2]! / luminance];
}

/** Linear sRGB of daylight, warmer for positive values. */
function daylight(temperature: number): readonly number[] {
  const kelvin = 1e6 / (1e6 / 6504 + temperature * MIREDS);
  const per = 1000 / kelvin;
  const x =
    kelvin <= 7000
      ? -4.607 * per ** 3 + 2.9678 * per ** 2 + 0.09911 * per + 0.244063
      : -2.0064 * per ** 3 + 1.9018 * per ** 2 + 0.24748 * per + 0.23704;
  const y = -3 * x * x + 2.87 * x - 0.275;
  const [tx, tz] = [x / y, (1 - x - y) / y];
  return [
    3.2404542 * tx - 1.5371385 - 0.4985314 * tz,
    -0.969266 * tx + 1.8760108 + 0.041556 * tz,
    0.0556434 * tx - 0.2040259 + 1.0572252 * tz,
  ];
}
