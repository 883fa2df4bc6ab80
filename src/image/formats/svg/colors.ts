/** Colors of CSS (Color Level 4, and mixed and relative ones of Level 5) in the one form that the renderer reads. */
import { withoutCalc } from "./calc.ts";
import {
  A98_TO_SRGB,
  encoded,
  fromHsl,
  fromHwb,
  fromLab,
  fromOklab,
  fromP3,
  fromPolar,
  fromProphoto,
  INTO,
  mapped,
  OUT_OF,
  power,
  REC2020_TO_SRGB,
  times,
  XYZ50_TO_SRGB,
  XYZ_TO_SRGB,
  type Triple,
} from "./color-spaces.ts";
import { partedByCommas } from "./commas.ts";

/** In sRGB from 0 to 1 each, or beyond it, not premultiplied. */
interface Color {
  readonly red: number;
  readonly green: number;
  readonly blue: number;
  readonly alpha: number;
}

/** Colors in colors. */
const MAX_DEPTH = 4;
/** Letters of a color with those in it; nobody writes longer ones. */
const MAX_LETTERS = 1_000;
const FUNCTIONS = new Set("rgb rgba hsl hsla hwb lab lch oklab oklch color color-mix light-dark".split(" "));

/**
 * A color as the renderer reads it; undefined for what is none.
 * @param current what `currentColor` stands for in colors that are mixed of others
 */
export function writtenColor(text: string, current: string): string | undefined {
  const plain = text.trim();
  const color = plain.length > MAX_LETTERS ? undefined : parsed(plain, current, 0);
  if (!color) return undefined;
  const byte = (part: number) => Math.round(Math.min(1, Math.max(0, part)) * 255);
  const rgb = `${byte(color.red)},${byte(color.green)},${byte(color.blue)}`;
  return color.alpha >= 1 ? `rgb(${rgb})` : `rgba(${rgb},${Number(Math.max(0, color.alpha).toFixed(4))})`;
}

/** A value in which every color that is a function is written as the renderer reads it. */
export function withWrittenColors(value: string, current: string): string {
  if (!value.includes("(")) return value;
  let result = "";
  let at = 0;
  for (const found of value.matchAll(/(?<![a-z-])[a-z-]+\(/gi)) {
    if (found.index < at || !FUNCTIONS.has(found[0].slice(0, -1).toLowerCase())) continue;
    const end = closing(value, found.index + found[0].length);
    const color = writtenColor(value.slice(found.index, end), current);
    if (color === undefined) continue;
    result += value.slice(at, found.index) + color;
    at = end;
  }
  return result + value.slice(at);
}

/** Behind the bracket that closes one before `at`; somewhere behind what is too long for a color. */
function closing(text: string, at: number): number {
  let open = 1;
  let end = at;
  for (; end < Math.min(text.length, at + MAX_LETTERS) && open > 0; end++) {
    const letter = text.charAt(end);
    if (letter === "(") open++;
    else if (letter === ")") open--;
  }
  return end;
}

function parsed(text: string, current: string, depth: number): Color | undefined {
  if (depth > MAX_DEPTH) return undefined;
  if (text.startsWith("#")) return fromHex(text.slice(1));
  const lower = text.toLowerCase();
  if (lower === "currentcolor") return parsed(current, "black", depth + 1);
  const [, name = "", inner = ""] = /^([a-z-]+)\(([\s\S]*)\)$/.exec(lower) ?? [];
  if (name === "color-mix") return mixed(inner, current, depth);
  // A drawing is shown as in light surroundings.
  if (name === "light-dark") return parsed(partedByCommas(inner)[0] ?? "", current, depth + 1);
  if (!name) return fromHex(NAMED.get(lower) ?? "");
  if (/^\s*from\s/.test(inner)) return relative(name, inner, current, depth);
  return fromFunction(name, inner);
}

/** Names of the parts of a color, in the order of its function. */
const CHANNELS: Readonly<Record<string, string>> = {
  rgb: "r g b",
  rgba: "r g b",
  hsl: "h s l",
  hsla: "h s l",
  hwb: "h w b",
  lab: "l a b",
  lch: "l c h",
  oklab: "l a b",
  oklch: "l c h",
  srgb: "r g b",
  "srgb-linear": "r g b",
  "display-p3": "r g b",
};

/** A color whose parts are told by those of another one (CSS Color Level 5, section 4). */
function relative(name: string, inner: string, current: string, depth: number): Color | undefined {
  const [origin = "", ...said] = words(inner.replace(/^\s*from\s/, ""));
  const space = name === "color" ? (said.shift() ?? "") : name;
  const channels = CHANNELS[space]?.split(" ");
  const from = parsed(origin, current, depth + 1);
  const parts = from && partsOf(from, space);
  if (!channels || !parts) return undefined;
  const values = new Map(channels.map((channel, index) => [channel, parts[index] ?? 0] as const));
  values.set("alpha", from.alpha);
  const plain = said.map((part) =>
    withoutCalc(part.replace(/(?<![\w.-])[a-z]+(?![\w(-])/g, (word) => values.get(word)?.toFixed(6) ?? word)),
  );
  if (plain.includes(undefined) || (plain.length !== 3 && (plain.length !== 5 || plain[3] !== "/"))) return undefined;
  const alpha = plain.length === 3 ? String(from.alpha) : plain[4];
  return fromFunction(name, `${name === "color" ? `${space} ` : ""}${plain.slice(0, 3).join(" ")} / ${alpha}`);
}

/** Parts of a text between blanks and slashes that are in no brackets; slashes are parts themselves. */
function words(text: string): string[] {
  const found: string[] = [];
  let [open, word] = [0, ""];
  for (const letter of `${text} `) {
    if (open === 0 && (/\s/.test(letter) || letter === "/")) {
      if (word !== "") found.push(word);
      if (letter === "/") found.push(letter);
      word = "";
      continue;
    }
    if (letter === "(") open++;
    else if (letter === ")") open--;
    word += letter;
  }
  return found;
}

/** The parts of a color as the function of a space has them; undefined for spaces that are not known. */
function partsOf({ red, green, blue }: Color, space: string): Triple | undefined {
  const rgb: Triple = [red, green, blue];
  if (space === "rgb" || space === "rgba") return mapped(rgb, (part) => part * 255);
  return INTO[space]?.(rgb);
}

function fromHex(digits: string): Color | undefined {
  if (!/^(?:[\da-f]{3,4}|[\da-f]{6}|[\da-f]{8})$/i.test(digits)) return undefined;
  const long = digits.length < 6 ? digits.replace(/./g, "$&$&") : digits;
  const [red = 0, green = 0, blue = 0, alpha = 1] = (long.match(/../g) ?? []).map(
    (two) => Number.parseInt(two, 16) / 255,
  );
  return { red, green, blue, alpha };
}

function fromFunction(name: string, inner: string): Color | undefined {
  const [first = "", ...rest] = inner.trim().split(/[\s,/]+/);
  const space = name === "color" ? first : name;
  const [one = "", two = "", three = "", last] = name === "color" ? rest : [first, ...rest];
  const alpha = last === undefined ? 1 : number(last, 1);
  // With commas between them, parts are numbers all or percentages all.
  const percentages = [one, two, three].filter((part) => part.endsWith("%")).length;
  if (space.startsWith("rgb") && inner.includes(",") && percentages % 3 !== 0) return undefined;
  const read = READERS[space];
  if (!read || alpha === undefined) return undefined;
  const rgb = read([one, two, three]);
  if (!rgb?.every(Number.isFinite)) return undefined;
  const [red, green, blue] = rgb;
  return { red, green, blue, alpha: Math.min(1, Math.max(0, alpha)) };
}

/** A number, or a percentage of `whole`; `none` is nothing. */
function number(text: string, whole: number): number | undefined {
  if (text === "none") return 0;
  const [, digits, percent] = /^([+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?)(%?)$/.exec(text) ?? [];
  if (digits === undefined) return undefined;
  return percent ? (Number(digits) / 100) * whole : Number(digits);
}

/** In degrees. */
function angle(text: string): number | undefined {
  if (text === "none") return 0;
  const [, digits, unit = ""] = /^([+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?)(deg|grad|rad|turn)?$/.exec(text) ?? [];
  const factor = { "": 1, deg: 1, grad: 0.9, rad: 180 / Math.PI, turn: 360 }[unit];
  return digits === undefined || factor === undefined ? undefined : Number(digits) * factor;
}

function all(parts: readonly (number | undefined)[]): Triple | undefined {
  const [one, two, three] = parts;
  return one === undefined || two === undefined || three === undefined ? undefined : [one, two, three];
}

type Reader = (parts: readonly string[]) => Triple | undefined;

const numbers =
  (...wholes: number[]): Reader =>
  (parts) =>
    all(parts.map((part, index) => number(part, wholes[index] ?? 1)));
/** A hue among the parts, and the numbers of the others. */
const withHue =
  (hue: number, ...wholes: number[]): Reader =>
  (parts) =>
    all(parts.map((part, index) => (index === hue ? angle(part) : number(part, wholes[index] ?? 1))));
const then =
  (read: Reader, ...steps: ((parts: Triple) => Triple)[]): Reader =>
  (parts) => {
    const start = read(parts);
    return start && steps.reduce((found, step) => step(found), start);
  };

const bytes: Reader = then(numbers(255, 255, 255), ([red, green, blue]) => [red / 255, green / 255, blue / 255]);
/** Percentages may be written without their sign. */
const percents = (hue: number): Reader => withHue(hue, 100, 100, 100);

const READERS: Readonly<Record<string, Reader>> = {
  rgb: bytes,
  rgba: bytes,
  hsl: then(percents(0), fromHsl),
  hsla: then(percents(0), fromHsl),
  hwb: then(percents(0), fromHwb),
  lab: then(numbers(100, 125, 125), fromLab),
  lch: then(withHue(2, 100, 150), fromPolar, fromLab),
  oklab: then(numbers(1, 0.4, 0.4), fromOklab),
  oklch: then(withHue(2, 1, 0.4), fromPolar, fromOklab),
  srgb: numbers(1, 1, 1),
  "srgb-linear": then(numbers(1, 1, 1), encoded),
  "display-p3": then(numbers(1, 1, 1), fromP3),
  "prophoto-rgb": then(numbers(1, 1, 1), fromProphoto),
  "a98-rgb": then(numbers(1, 1, 1), (parts) => encoded(times(A98_TO_SRGB, power(parts, 563 / 256)))),
  rec2020: then(numbers(1, 1, 1), (parts) => encoded(times(REC2020_TO_SRGB, power(parts, 2.4)))),
  xyz: then(numbers(1, 1, 1), (parts) => encoded(times(XYZ_TO_SRGB, parts))),
  "xyz-d65": then(numbers(1, 1, 1), (parts) => encoded(times(XYZ_TO_SRGB, parts))),
  "xyz-d50": then(numbers(1, 1, 1), (parts) => encoded(times(XYZ50_TO_SRGB, parts))),
};

/** Places of hues among the parts of colors. */
const HUES: Readonly<Record<string, number>> = { hsl: 0, hwb: 0, lch: 2, oklch: 2 };
/** Chroma below which a color has no hue, by spaces. */
const GRAYS: Readonly<Record<string, number>> = { lch: 0.0015, oklch: 0.000004 };

/** `color-mix()` (CSS Color Level 5, section 3). */
function mixed(inner: string, current: string, depth: number): Color | undefined {
  const parts = partedByCommas(inner);
  const [method = "", one = "", other = "", more] = /^in\s/.test(inner.trim()) ? parts : ["in oklab", ...parts];
  const [, space = "", way = "shorter"] = /^in\s+([\w-]+)(?:\s+(\w+)\s+hue)?\s*$/.exec(method) ?? [];
  const [into, from] = [INTO[space], OUT_OF[space]];
  if (!into || !from || more !== undefined) return undefined;
  const [first, firstShare] = share(one);
  const [second, secondShare] = share(other);
  const [a, b] = [parsed(first, current, depth + 1), parsed(second, current, depth + 1)];
  if (!a || !b) return undefined;
  const left = firstShare ?? (secondShare === undefined ? 50 : 100 - secondShare);
  const right = secondShare ?? 100 - left;
  const sum = left + right;
  if (sum <= 0) return undefined;
  const part = left / sum;
  const alpha = a.alpha * part + b.alpha * (1 - part);
  const [start, end] = [into([a.red, a.green, a.blue]), into([b.red, b.green, b.blue])];
  const hue = HUES[space];
  const mix = (index: 0 | 1 | 2) => {
    if (index === hue) return mixedHue(hueOf(start, space), hueOf(end, space), 1 - part, way);
    return alpha === 0 ? 0 : (start[index] * a.alpha * part + end[index] * b.alpha * (1 - part)) / alpha;
  };
  const [red, green, blue] = from([mix(0), mix(1), mix(2)]);
  return { red, green, blue, alpha: alpha * Math.min(1, sum / 100) };
}

/** The hue of a color in degrees; undefined for grays. */
function hueOf(parts: Triple, space: string): number | undefined {
  const [one, two, three] = parts;
  if (space === "hsl") return two < 0.001 ? undefined : one;
  if (space === "hwb") return two + three > 99.999 ? undefined : one;
  return two < (GRAYS[space] ?? 0) ? undefined : three;
}

/** A hue between two, on one of the two ways around (CSS Color Level 4, section 12.4). */
function mixedHue(start: number | undefined, end: number | undefined, share: number, way: string): number {
  if (start === undefined || end === undefined) return start ?? end ?? 0;
  let turn = end - start;
  if (way === "shorter") turn -= turn > 180 ? 360 : turn < -180 ? -360 : 0;
  else if (way === "longer") turn += turn > 0 && turn < 180 ? -360 : turn > -180 && turn <= 0 ? 360 : 0;
  else if (way === "increasing") turn += turn < 0 ? 360 : 0;
  else turn -= turn > 0 ? 360 : 0;
  return start + turn * share;
}

/** A color and its part of a mixture, which may stand on either side. */
function share(text: string): readonly [color: string, percent: number | undefined] {
  const [head = "", before] = /^([\d.]+)%\s+/.exec(text) ?? [];
  const color = text.slice(head.length);
  const words = color.split(/\s+/);
  const last = words.at(-1) ?? "";
  const [, after] = words.length > 1 ? (/^([\d.]+)%$/.exec(last) ?? []) : [];
  const percent = before ?? after;
  if (percent === undefined) return [color, undefined];
  return [after === undefined ? color : color.slice(0, -last.length).trimEnd(), Number(percent)];
}

/** Sections 6.2 and A of CSS Color Level 4, in light surroundings, as Chromium 150 has them. */
const SYSTEM = `
    accentcolor 0075ff accentcolortext ffffff activeborder 000000 activecaption ffffff activetext ff0000
    appworkspace ffffff background ffffff buttonborder 000000 buttonface efefef buttonhighlight efefef
    buttonshadow efefef buttontext 000000 canvas ffffff canvastext 000000 captiontext 000000 field ffffff
    fieldtext 000000 graytext 808080 highlight 1a5cd1 highlighttext ffffff inactiveborder 000000
    inactivecaption ffffff inactivecaptiontext 808080 infobackground ffffff infotext 000000 linktext 0000ee mark ffff00
    marktext 000000 menu ffffff menutext 000000 scrollbar ffffff selecteditem 1967d2 selecteditemtext ffffff
    threeddarkshadow 000000 threedface efefef threedhighlight 000000 threedlightshadow 000000 threedshadow 000000
    visitedtext 551a8b window ffffff windowframe 000000 windowtext 000000`;

/** Section 6.1 of CSS Color Level 4. */
const NAMED: ReadonlyMap<string, string> = new Map([
  ["transparent", "00000000"],
  ...Array.from(
    `
    aliceblue f0f8ff antiquewhite faebd7 aqua 00ffff aquamarine 7fffd4 azure f0ffff beige f5f5dc bisque ffe4c4
    black 000000 blanchedalmond ffebcd blue 0000ff blueviolet 8a2be2 brown a52a2a burlywood deb887 cadetblue 5f9ea0
    chartreuse 7fff00 chocolate d2691e coral ff7f50 cornflowerblue 6495ed cornsilk fff8dc crimson dc143c cyan 00ffff
    darkblue 00008b darkcyan 008b8b darkgoldenrod b8860b darkgray a9a9a9 darkgreen 006400 darkgrey a9a9a9
    darkkhaki bdb76b darkmagenta 8b008b darkolivegreen 556b2f darkorange ff8c00 darkorchid 9932cc darkred 8b0000
    darksalmon e9967a darkseagreen 8fbc8f darkslateblue 483d8b darkslategray 2f4f4f darkslategrey 2f4f4f
    darkturquoise 00ced1 darkviolet 9400d3 deeppink ff1493 deepskyblue 00bfff dimgray 696969 dimgrey 696969
    dodgerblue 1e90ff firebrick b22222 floralwhite fffaf0 forestgreen 228b22 fuchsia ff00ff gainsboro dcdcdc
    ghostwhite f8f8ff gold ffd700 goldenrod daa520 gray 808080 green 008000 greenyellow adff2f grey 808080
    honeydew f0fff0 hotpink ff69b4 indianred cd5c5c indigo 4b0082 ivory fffff0 khaki f0e68c lavender e6e6fa
    lavenderblush fff0f5 lawngreen 7cfc00 lemonchiffon fffacd lightblue add8e6 lightcoral f08080 lightcyan e0ffff
    lightgoldenrodyellow fafad2 lightgray d3d3d3 lightgreen 90ee90 lightgrey d3d3d3 lightpink ffb6c1
    lightsalmon ffa07a lightseagreen 20b2aa lightskyblue 87cefa lightslategray 778899 lightslategrey 778899
    lightsteelblue b0c4de lightyellow ffffe0 lime 00ff00 limegreen 32cd32 linen faf0e6 magenta ff00ff maroon 800000
    mediumaquamarine 66cdaa mediumblue 0000cd mediumorchid ba55d3 mediumpurple 9370db mediumseagreen 3cb371
    mediumslateblue 7b68ee mediumspringgreen 00fa9a mediumturquoise 48d1cc mediumvioletred c71585
    midnightblue 191970 mintcream f5fffa mistyrose ffe4e1 moccasin ffe4b5 navajowhite ffdead navy 000080
    oldlace fdf5e6 olive 808000 olivedrab 6b8e23 orange ffa500 orangered ff4500 orchid da70d6 palegoldenrod eee8aa
    palegreen 98fb98 paleturquoise afeeee palevioletred db7093 papayawhip ffefd5 peachpuff ffdab9 peru cd853f
    pink ffc0cb plum dda0dd powderblue b0e0e6 purple 800080 rebeccapurple 663399 red ff0000 rosybrown bc8f8f
    royalblue 4169e1 saddlebrown 8b4513 salmon fa8072 sandybrown f4a460 seagreen 2e8b57 seashell fff5ee
    sienna a0522d silver c0c0c0 skyblue 87ceeb slateblue 6a5acd slategray 708090 slategrey 708090 snow fffafa
    springgreen 00ff7f steelblue 4682b4 tan d2b48c teal 008080 thistle d8bfd8 tomato ff6347 turquoise 40e0d0
    violet ee82ee wheat f5deb3 white ffffff whitesmoke f5f5f5 yellow ffff00 yellowgreen 9acd32
    ${SYSTEM}
    `.matchAll(/(\w+) ([\da-f]{6})/g),
    ([, name = "", digits = ""]) => [name, digits] as const,
  ),
]);
