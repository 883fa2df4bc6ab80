/** Spaces of colors (CSS Color Level 4, sections 7 to 10 and 17): parts of each in sRGB, and back. */

export type Triple = readonly [number, number, number];
type Matrix = readonly [Triple, Triple, Triple];

/** Section 17 of CSS Color Level 4. */
export const XYZ_TO_SRGB: Matrix = [
  [3.2409699419, -1.5373831776, -0.4986107603],
  [-0.9692436363, 1.8759675015, 0.0415550574],
  [0.0556300797, -0.2039769589, 1.0569715142],
];
export const XYZ50_TO_SRGB: Matrix = [
  [3.1341358529, -1.6173863321, -0.490661946],
  [-0.9787954765, 1.9162544411, 0.0334428744],
  [0.0719553786, -0.2289768264, 1.4053860351],
];
const SRGB_TO_XYZ50: Matrix = [
  [0.4360657469, 0.3851514884, 0.1430784075],
  [0.2224931718, 0.716887015, 0.0606168034],
  [0.0139238965, 0.0970812247, 0.7140993465],
];
const P3_TO_SRGB: Matrix = [
  [1.2249401763, -0.2249401763, 0],
  [-0.0420569547, 1.0420569547, 0],
  [-0.0196375546, -0.0786360456, 1.0982736001],
];
const SRGB_TO_P3: Matrix = [
  [0.8224619687, 0.1775380313, 0],
  [0.0331941989, 0.9668058011, 0],
  [0.0170826307, 0.0723974407, 0.9105199286],
];
const PROPHOTO_TO_XYZ50: Matrix = [
  [0.7977666449, 0.1351812974, 0.0313477341],
  [0.2880748288, 0.7118352342, 0.0000899369],
  [0, 0, 0.8251046025],
];
export const A98_TO_SRGB: Matrix = [
  [1.3983557439, -0.3983557439, 0],
  [0, 1, 0],
  [0, -0.0429289893, 1.0429289893],
];
export const REC2020_TO_SRGB: Matrix = [
  [1.6604910021, -0.5876411388, -0.0728498633],
  [-0.1245504745, 1.1328998971, -0.0083494226],
  [-0.0181507634, -0.100578898, 1.1187296614],
];
const OKLAB_TO_LMS: Matrix = [
  [1, 0.3963377774, 0.2158037573],
  [1, -0.1055613458, -0.0638541728],
  [1, -0.0894841775, -1.291485548],
];
const LMS_TO_SRGB: Matrix = [
  [4.0767416621, -3.3077115913, 0.2309699292],
  [-1.2684380046, 2.6097574011, -0.3413193965],
  [-0.0041960863, -0.7034186147, 1.707614701],
];
const SRGB_TO_LMS: Matrix = [
  [0.4122214708, 0.5363325363, 0.0514459929],
  [0.2119034982, 0.6806995451, 0.1073969566],
  [0.0883024619, 0.2817188376, 0.6299787005],
];
const LMS_TO_OKLAB: Matrix = [
  [0.2104542553, 0.793617785, -0.0040720468],
  [1.9779984951, -2.428592205, 0.4505937099],
  [0.0259040371, 0.7827717662, -0.808675766],
];
const D50: Triple = [0.9642956764, 1, 0.8251046025];

export function times(matrix: Matrix, [x, y, z]: Triple): Triple {
  const [a, b, c] = matrix.map(([p, q, r]) => p * x + q * y + r * z);
  return [a ?? 0, b ?? 0, c ?? 0];
}

export function mapped([one, two, three]: Triple, change: (part: number) => number): Triple {
  return [change(one), change(two), change(three)];
}

export function encoded(parts: Triple): Triple {
  return mapped(parts, (part) => {
    const size = Math.abs(part);
    return Math.sign(part) * (size <= 0.0031308 ? size * 12.92 : 1.055 * size ** (1 / 2.4) - 0.055);
  });
}

function linear(parts: Triple): Triple {
  return mapped(parts, (part) => {
    const size = Math.abs(part);
    return Math.sign(part) * (size <= 0.04045 ? size / 12.92 : ((size + 0.055) / 1.055) ** 2.4);
  });
}

export function power(parts: Triple, exponent: number): Triple {
  return mapped(parts, (part) => Math.sign(part) * Math.abs(part) ** exponent);
}

export function fromP3(parts: Triple): Triple {
  return encoded(times(P3_TO_SRGB, linear(parts)));
}

export function fromProphoto(parts: Triple): Triple {
  const light = mapped(parts, (part) =>
    Math.abs(part) < 16 / 512 ? part / 16 : Math.sign(part) * Math.abs(part) ** 1.8,
  );
  return encoded(times(XYZ50_TO_SRGB, times(PROPHOTO_TO_XYZ50, light)));
}

export function fromPolar([lightness, chroma, hue]: Triple): Triple {
  const radians = (hue * Math.PI) / 180;
  return [lightness, chroma * Math.cos(radians), chroma * Math.sin(radians)];
}

export function fromLab([lightness, a, b]: Triple): Triple {
  const y = (lightness + 16) / 116;
  const cube = (part: number) => (part ** 3 > 216 / 24_389 ? part ** 3 : (116 * part - 16) / (24_389 / 27));
  const white = [cube(y + a / 500), lightness > 8 ? y ** 3 : lightness / (24_389 / 27), cube(y - b / 200)] as const;
  return encoded(times(XYZ50_TO_SRGB, [white[0] * D50[0], white[1] * D50[1], white[2] * D50[2]]));
}

export function fromOklab(parts: Triple): Triple {
  return encoded(times(LMS_TO_SRGB, power(times(OKLAB_TO_LMS, parts), 3)));
}

export function fromHsl([hue, saturation, lightness]: Triple): Triple {
  const [s, l] = [Math.min(100, Math.max(0, saturation)) / 100, lightness / 100];
  return mapped([0, 8, 4], (start) => {
    const place = (((start + hue / 30) % 12) + 12) % 12;
    return l - s * Math.min(l, 1 - l) * Math.max(-1, Math.min(place - 3, 9 - place, 1));
  });
}

export function fromHwb([hue, whiteness, blackness]: Triple): Triple {
  const [white, black] = [whiteness / 100, blackness / 100];
  if (white + black >= 1) return mapped([white, white, white], (part) => part / (white + black));
  return mapped(fromHsl([hue, 100, 50]), (part) => part * (1 - white - black) + white);
}

/** Parts of sRGB in other spaces. */
export const INTO: Readonly<Record<string, (rgb: Triple) => Triple>> = {
  srgb: same,
  "srgb-linear": linear,
  hsl: toHsl,
  hsla: toHsl,
  hwb: toHwb,
  lab: toLab,
  lch: (rgb) => toPolar(toLab(rgb)),
  oklab: toOklab,
  oklch: (rgb) => toPolar(toOklab(rgb)),
  "display-p3": (rgb) => encoded(times(SRGB_TO_P3, linear(rgb))),
  xyz: linear,
  "xyz-d50": linear,
  "xyz-d65": linear,
};
/** Parts in those spaces that may be mixed, in sRGB. */
export const OUT_OF: Readonly<Record<string, (parts: Triple) => Triple>> = {
  srgb: same,
  // What is mixed of light is the same in all spaces of light.
  "srgb-linear": encoded,
  xyz: encoded,
  "xyz-d50": encoded,
  "xyz-d65": encoded,
  "display-p3": fromP3,
  hsl: fromHsl,
  hwb: fromHwb,
  lab: fromLab,
  lch: (parts) => fromLab(fromPolar(parts)),
  oklab: fromOklab,
  oklch: (parts) => fromOklab(fromPolar(parts)),
};

/** Hue in degrees, saturation and lightness in percent. */
function toHsl(rgb: Triple): Triple {
  const [most, least] = [Math.max(...rgb), Math.min(...rgb)];
  const lightness = (most + least) / 2;
  const range = most - least;
  const saturation =
    range === 0 || lightness === 0 || lightness === 1 ? 0 : (most - lightness) / Math.min(lightness, 1 - lightness);
  return [hueOfRgb(rgb), saturation * 100, lightness * 100];
}

/** Hue in degrees, whiteness and blackness in percent. */
function toHwb(rgb: Triple): Triple {
  return [hueOfRgb(rgb), Math.min(...rgb) * 100, (1 - Math.max(...rgb)) * 100];
}

function hueOfRgb([red, green, blue]: Triple): number {
  const most = Math.max(red, green, blue);
  const range = most - Math.min(red, green, blue);
  if (range === 0) return 0;
  if (most === red) return 60 * ((green - blue) / range + (green < blue ? 6 : 0));
  return most === green ? 60 * ((blue - red) / range + 2) : 60 * ((red - green) / range + 4);
}

function toPolar([lightness, a, b]: Triple): Triple {
  return [lightness, Math.hypot(a, b), ((Math.atan2(b, a) * 180) / Math.PI + 360) % 360];
}

function toLab(rgb: Triple): Triple {
  const [x, y, z] = times(SRGB_TO_XYZ50, linear(rgb));
  const root = (part: number) => (part > 216 / 24_389 ? Math.cbrt(part) : ((24_389 / 27) * part + 16) / 116);
  const [one, two, three] = [root(x / D50[0]), root(y / D50[1]), root(z / D50[2])];
  return [116 * two - 16, 500 * (one - two), 200 * (two - three)];
}

function same(parts: Triple): Triple {
  return parts;
}

function toOklab(parts: Triple): Triple {
  return times(LMS_TO_OKLAB, mapped(times(SRGB_TO_LMS, linear(parts)), Math.cbrt));
}
