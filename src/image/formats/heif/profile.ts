/** ICC profiles for colors that a file describes by numbers (ISO/IEC 23091-2), where they are not those of sRGB. */

type Triple = readonly [number, number, number];

/** Primaries of H.273, table 2, as red, green and blue in XYZ, adapted from D65 to D50 by Bradford (ICC.1, annex E). */
const COLORANTS: Readonly<Record<string, readonly [Triple, Triple, Triple]>> = {
  srgb: [
    [0.436066, 0.222488, 0.013916],
    [0.385147, 0.716873, 0.097076],
    [0.143066, 0.060608, 0.714096],
  ],
  bt2020: [
    [0.673459, 0.279033, -0.001932],
    [0.165665, 0.675339, 0.029984],
    [0.125098, 0.045628, 0.797163],
  ],
  p3: [
    [0.515102, 0.241182, -0.00105],
    [0.291965, 0.692236, 0.041882],
    [0.157153, 0.066582, 0.784378],
  ],
};
const PRIMARIES: Readonly<Record<number, keyof typeof COLORANTS>> = { 9: "bt2020", 12: "p3" };
const D50: Triple = [0.9642, 1, 0.8249];

/** Of white in a picture for a screen of ordinary brightness, and the most that is expected (ITU-R BT.2408). */
const WHITE_NITS = 203;
const PEAK_NITS = 1_000;
const CURVE_POINTS = 1_024;

/** Light, 1 being white, of a sample from 0 to 1. */
type Curve = (sample: number) => number;

const CURVES: Readonly<Record<number, Curve>> = {
  4: (sample) => sample ** 2.2,
  8: (sample) => sample,
  16: (sample) => mapped(perceptual(sample) / WHITE_NITS),
  18: (sample) => mapped((PEAK_NITS * hybrid(sample) ** 1.2) / WHITE_NITS),
};

/** IEC 61966-2-1; also for the curves of television, which displays do not tell from it. */
function srgb(sample: number): number {
  return sample <= 0.04045 ? sample / 12.92 : ((sample + 0.055) / 1.055) ** 2.4;
}

/** SMPTE ST 2084, in candelas per square meter. */
function perceptual(sample: number): number {
  const root = sample ** (1 / 78.84375);
  return 10_000 * (Math.max(0, root - 0.8359375) / (18.8515625 - 18.6875 * root)) ** (1 / 0.1593017578125);
}

/** ITU-R BT.2100: the light of the scene. */
function hybrid(sample: number): number {
  return sample <= 0.5 ? sample ** 2 / 3 : (Math.exp((sample - 0.55991073) / 0.17883277) + 0.28466892) / 12;
}

/** Highlights give way, so that those up to the peak fit below white (Reinhard et al. 2002, equation 4). */
function mapped(light: number): number {
  const peak = PEAK_NITS / WHITE_NITS;
  return Math.min(1, (light * (1 + light / peak ** 2)) / (1 + light));
}

/**
 * The profile of RGB samples with these primaries and this transfer, as a matrix and a curve; undefined for those of
 * sRGB and for what is not known.
 */
export function profileOf(primaries: number | undefined, transfer: number | undefined): Uint8Array | undefined {
  const colorants = PRIMARIES[primaries ?? 0];
  const curve = CURVES[transfer ?? 0];
  if (!colorants && !curve) return undefined;
  const [red, green, blue] = COLORANTS[colorants ?? "srgb"]!;
  const xyz = (color: Triple) => [...ascii("XYZ "), ...uint32(0), ...color.flatMap((value) => fixed(value))];
  const trc = [...ascii("curv"), ...uint32(0), ...uint32(CURVE_POINTS), ...points(curve ?? srgb)];
  const tags: [string, number[]][] = [
    ["wtpt", xyz(D50)],
    ["rXYZ", xyz(red)],
    ["gXYZ", xyz(green)],
    ["bXYZ", xyz(blue)],
    ["rTRC", trc],
  ];
  return assemble(tags, ["gTRC", "bTRC"]);
}

function points(curve: Curve): number[] {
  return Array.from({ length: CURVE_POINTS }, (_, at) => {
    const level = Math.round(curve(at / (CURVE_POINTS - 1)) * 65_535);
    return [level >> 8, level & 255];
  }).flat();
}

const HEADER_BYTES = 128;

/** ICC.1:2022, sections 7.2 and 7.3; the data of the last tag also stands for `same`. */
function assemble(tags: readonly [string, number[]][], same: readonly string[]): Uint8Array {
  const count = tags.length + same.length;
  const entries: number[] = [];
  const data: number[] = [];
  const start = HEADER_BYTES + 4 + 12 * count;
  let last: number[] = [];
  for (const [name, bytes] of tags) {
    last = [...uint32(start + data.length), ...uint32(bytes.length)];
    entries.push(...ascii(name), ...last);
    data.push(...bytes);
  }
  for (const name of same) entries.push(...ascii(name), ...last);
  const profile = new Uint8Array(start + data.length);
  profile.set(uint32(profile.length));
  profile.set([2, 0x40], 8);
  profile.set(ascii("mntrRGB XYZ "), 12);
  profile.set(ascii("acsp"), 36);
  profile.set(D50.flatMap(fixed), 68);
  profile.set([...uint32(count), ...entries, ...data], HEADER_BYTES);
  return profile;
}

function ascii(text: string): number[] {
  return [...new TextEncoder().encode(text)];
}

function uint32(value: number): number[] {
  return [(value >>> 24) & 255, (value >>> 16) & 255, (value >>> 8) & 255, value & 255];
}

/** s15Fixed16Number. */
function fixed(value: number): number[] {
  return uint32(Math.round(value * 65_536));
}
