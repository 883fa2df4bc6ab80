/**
 * Drawings that are small to write and long to draw: families of them, alone and put into each other. The same numbers
 * give the same drawing.
 */

/** A whole number from 0 on, below a bound. */
export type Random = (below: number) => number;

/** Numbers that are the same for the same seed (mulberry32). */
export function seeded(seed: number): Random {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

const WIDTH = 400;
const HEIGHT = 300;

/** One to `most`, small numbers as likely as large ones. */
function count(random: Random, most: number): number {
  return 1 + random(Math.max(1, Math.round(most ** (random(1_000) / 999))));
}

function repeated(times: number, made: (index: number) => string): string {
  return Array.from({ length: times }, (_, index) => made(index)).join("");
}

function points(random: Random, times: number, letter: string): string {
  const pair = () => `${random(WIDTH)} ${random(HEIGHT)}`;
  const pairs = { L: 1, Q: 2, C: 3 }[letter] ?? 1;
  return `M${pair()}${repeated(times, () => letter + repeated(pairs, () => `${pair()} `))}`;
}

const RECT = `<rect width="${WIDTH}" height="${HEIGHT}" fill="#123" fill-opacity=".5"/>`;
const BLENDS = ["multiply", "screen", "overlay", "color-dodge", "hue", "luminosity"];
/** A picture of one pixel. */
const PIXEL =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** A filter over all of the picture and more, on `inner`. */
function filtered(id: string, primitives: string, inner: string): string {
  return `<filter id="${id}" x="-50%" y="-50%" width="200%" height="200%">${primitives}</filter><g filter="url(#${id})">${inner}</g>`;
}

/** Each takes numbers, what to draw, and an id that nothing else has. */
type Family = (random: Random, inner: string, id: string) => string;

export const FAMILIES: Readonly<Record<string, Family>> = {
  styles(random, inner) {
    const pick = (all: readonly string[]) => all[random(all.length)] ?? "";
    const value = (depth: number): string => {
      const part = () => (depth > 5 ? pick(["1px", "50%", "red", "a", '"b"']) : value(depth + 1));
      const wrapped = [
        () => `calc(${part()} ${pick(["+", "-", "*", "/"])} ${part()})`,
        () => `var(--v${random(8)}${random(2) ? `,${part()}` : ""})`,
        () => `color-mix(in ${pick(["srgb", "oklch", "hsl"])},${part()} 10%,${part()})`,
        () => `rgb(from ${part()} r g ${part()})`,
        () => `translate(${part()})`,
        () => `${part()} ${part()}`.repeat(count(random, 40)),
        () => `${part()}!important`,
        () => pick(["1vw", "calc(", "url(#a)", "currentColor", ")", "path('M0 0h1')"]),
      ];
      return wrapped[random(wrapped.length)]?.() ?? "";
    };
    const selector = (depth: number): string => {
      const one = () => (depth > 2 ? pick(["*", "rect", ".a", "#b", "[x*='1']"]) : selector(depth + 1));
      return pick([
        `${one()}${pick([" ", ">", "+", "~"])}${one()}`,
        `:${pick(["is", "not", "has", "where"])}(${one()},${one()})`,
        `rect:nth-${pick(["child", "last-of-type"])}(${random(9)}n+1)`,
        one(),
      ]);
    };
    const names = ["fill", "stroke-dasharray", "transform", "clip-path", "d", "width", "font", "filter", "color"];
    const declaration = () => `${random(3) === 0 ? `--v${random(8)}` : pick(names)}:${value(0).slice(0, 5_000)};`;
    const rules = repeated(count(random, 300), () => `${selector(0)}{${repeated(count(random, 12), declaration)}}`);
    const levels = count(random, 100);
    const rects = repeated(count(random, 3_000), (at) => `<rect class="a" x="${at}" width="1" height="1"/>`);
    return `<style>${rules}</style>${"<g>".repeat(levels)}${rects}${inner}${"</g>".repeat(levels)}`;
  },
  "markers in markers"(random, inner, id) {
    const arrow = (name: string, within: string) =>
      `<marker id="${name}" markerWidth="30" markerHeight="30" overflow="visible">${within}</marker>`;
    const line = (marker: string) =>
      `<path d="${points(random, count(random, 300), "L")}" fill="none" stroke="red" marker-mid="url(#${marker})"/>`;
    return arrow(`${id}a`, inner) + arrow(`${id}b`, line(`${id}a`)) + line(`${id}b`);
  },
  masks(random, inner, id) {
    const levels = count(random, 30);
    const masks = repeated(
      levels,
      (level) => `<mask id="${id}${level}"><g${level > 0 ? ` mask="url(#${id}${level - 1})"` : ""}>${RECT}</g></mask>`,
    );
    return `${masks}${repeated(count(random, 40), () => `<g mask="url(#${id}${levels - 1})">${inner}</g>`)}`;
  },
  "clip paths"(random, inner, id) {
    const levels = count(random, 30);
    const clips = repeated(
      levels,
      (level) =>
        `<clipPath id="${id}${level}"${level > 0 ? ` clip-path="url(#${id}${level - 1})"` : ""}><path d="${points(random, count(random, 500), "C")}"/></clipPath>`,
    );
    return `${clips}<g clip-path="url(#${id}${levels - 1})">${inner}</g>`;
  },
  "patterns of patterns"(random, inner, id) {
    const pattern = (name: string, within: string) =>
      `<pattern id="${name}" width="${1 + random(40)}" height="${1 + random(40)}" patternUnits="userSpaceOnUse">${within}</pattern>`;
    return `${pattern(`${id}a`, inner)}${pattern(`${id}b`, `<rect width="99" height="99" fill="url(#${id}a)"/>`)}<rect width="${WIDTH}" height="${HEIGHT}" fill="url(#${id}b)"/>`;
  },
  blurs: (random, inner, id) =>
    filtered(
      id,
      repeated(count(random, 60), () => `<feGaussianBlur stdDeviation="${random(501)}"/>`),
      inner,
    ),
  turbulence: (random, inner, id) =>
    filtered(
      id,
      repeated(
        count(random, 60),
        () =>
          `<feTurbulence baseFrequency=".${1 + random(99)}" numOctaves="${1 + random(12)}"/><feComposite in="SourceGraphic" operator="in"/>`,
      ),
      inner,
    ),
  kernels(random, inner, id) {
    const order = 1 + random(15);
    const kernel = repeated(order * order, () => `${random(9)} `);
    return filtered(
      id,
      repeated(count(random, 20), () => `<feConvolveMatrix order="${order}" kernelMatrix="${kernel}"/>`),
      inner,
    );
  },
  morphology: (random, inner, id) =>
    filtered(
      id,
      repeated(count(random, 20), () => `<feMorphology operator="dilate" radius="${random(51)} ${random(51)}"/>`),
      inner,
    ),
  lighting: (random, inner, id) =>
    filtered(
      id,
      repeated(
        count(random, 30),
        () =>
          `<feSpecularLighting surfaceScale="9" specularExponent="${1 + random(99)}"><fePointLight x="9" y="9" z="9"/></feSpecularLighting>`,
      ),
      inner,
    ),
  "shadows by style": (random, inner) =>
    repeated(
      count(random, 40),
      () =>
        `<g style="filter:drop-shadow(${random(9)}px ${random(9)}px ${random(60)}px red) blur(${random(60)}px)">${inner}</g>`,
    ),
  pictures: (random, inner, id) =>
    `<image id="${id}" href="${PIXEL}" width="${WIDTH}" height="${HEIGHT}" opacity=".5"/>${repeated(count(random, 1_000), () => `<use href="#${id}"/>`)}${inner}`,
  dashes: (random, inner) =>
    `<path fill="none" stroke="red" stroke-width="${random(99)}" stroke-dasharray=".${1 + random(99)}" stroke-linecap="round" d="${points(random, count(random, 500), "L")}"/>${inner}`,
  "dashes on what is used"(random, inner, id) {
    const shapes = repeated(count(random, 300), () => `<path d="${points(random, count(random, 30), "C")}"/>`);
    const dash = `stroke="red" stroke-dasharray="${1 + random(20)} .${1 + random(99)}"`;
    return `<g id="${id}" fill="none">${shapes}</g>${repeated(count(random, 30), () => `<g ${dash}><use href="#${id}"/></g>`)}${inner}`;
  },
  "dashes of a style sheet"(random, inner, id) {
    const rules = repeated(
      count(random, 300),
      () => `.${id}{stroke:red;stroke-dasharray:.${1 + random(99)},${random(9)}}`,
    );
    return `<style>${rules}</style>${repeated(count(random, 500), () => `<circle class="${id}" r="${random(HEIGHT)}"/>`)}${inner}`;
  },
  lines: (random, inner) =>
    `<path fill="none" stroke="red" stroke-width="${random(99)}" stroke-linejoin="round" d="${points(random, count(random, 50_000), "L")}"/>${inner}`,
  curves: (random, inner) =>
    `<path fill="none" stroke="red" stroke-width="${random(99)}" d="${points(random, count(random, 20_000), "QC".charAt(random(2)))}"/>${inner}`,
  fills: (random, inner) =>
    `<path fill="red" fill-rule="evenodd" d="${points(random, count(random, 50_000), "L")}"/>${inner}`,
  gradients(random, inner, id) {
    const stops = repeated(
      count(random, 5_000),
      (at) => `<stop offset="${at / 5_000}" stop-color="#${random(900) + 100}"/>`,
    );
    return `<radialGradient id="${id}">${stops}</radialGradient>${repeated(count(random, 500), () => `<rect width="${WIDTH}" height="${HEIGHT}" fill="url(#${id})" fill-opacity=".5"/>`)}${inner}`;
  },
  "gradients of a pattern"(random, inner, id) {
    const stop = (at: number) => `<stop offset="${at / 500}" stop-color="#${random(900) + 100}" stop-opacity=".5"/>`;
    const gradient = `<linearGradient id="${id}g" spreadMethod="reflect" x2=".0${1 + random(99)}">${repeated(count(random, 500), stop)}</linearGradient>`;
    const shapes = repeated(count(random, 100), () => `<rect width="99" height="99" fill="url(#${id}g)"/>`);
    return `${gradient}<pattern id="${id}" width="${1 + random(90)}" height="99" patternUnits="userSpaceOnUse">${shapes}</pattern><rect width="${WIDTH}" height="${HEIGHT}" fill="url(#${id})"/>${inner}`;
  },
  texts: (random, inner) =>
    `<text y="99" font-size="${1 + random(300)}" stroke="red" stroke-width="${random(30)}">${"AgÄ@&amp;8".repeat(count(random, 2_000))}</text>${inner}`,
  "translucent groups": (random, inner) => repeated(count(random, 2_000), () => `<g opacity=".9">${RECT}</g>`) + inner,
  "groups in groups"(random, inner) {
    const levels = count(random, 60);
    return `${'<g opacity=".9">'.repeat(levels)}${RECT}${inner}${"</g>".repeat(levels)}`;
  },
  blending: (random, inner) =>
    repeated(count(random, 500), () => `<g style="mix-blend-mode:${BLENDS[random(BLENDS.length)]}">${RECT}</g>`) +
    inner,
  selectors(random, inner) {
    const rule = (at: number) => `${"g ".repeat(1 + random(30))}.c${at}{fill:#${100 + random(900)}}`;
    const levels = count(random, 60);
    const elements = repeated(count(random, 300), (at) => `<path class="c${at % 100}" d="M0 0h9v9z"/>`);
    return `<style>${repeated(count(random, 300), rule)}</style>${"<g>".repeat(levels)}${elements}${inner}${"</g>".repeat(levels)}`;
  },
  "rules for all"(random, inner) {
    const rule = () => `${"* ".repeat(1 + random(40))}{fill-opacity:.${random(9)}}`;
    const levels = count(random, 200);
    return `<style>${repeated(count(random, 2_000), rule)}</style>${"<g>".repeat(levels)}${repeated(count(random, 2_000), () => '<path d="M0 0h9v9z"/>')}${inner}${"</g>".repeat(levels)}`;
  },
  "layers in layers of all"(random, inner) {
    const levels = count(random, 90);
    const one = `<g style="isolation:isolate;opacity:.9">${RECT}`;
    return `${one.repeat(levels)}${inner}${"</g>".repeat(levels)}`;
  },
  uses(random, inner, id) {
    const levels = count(random, 10);
    const level = (at: number) =>
      `<g id="${id}${at}">${at === 0 ? RECT : `<use href="#${id}${at - 1}"/><use href="#${id}${at - 1}" x="9"/>`}</g>`;
    return `<defs>${repeated(levels, level)}</defs><use href="#${id}${levels - 1}"/>${inner}`;
  },
};

const NAMES = Object.keys(FAMILIES);

/** One family, or up to four of them in each other, so many pixels wide; what it is called says which. */
export function costlySvg(
  random: Random,
  turn: number,
  width = WIDTH,
): { readonly name: string; readonly text: string } {
  const first = NAMES[turn % NAMES.length] ?? "";
  const others = turn < NAMES.length ? [] : Array.from({ length: random(4) }, () => NAMES[random(NAMES.length)] ?? "");
  const names = [first, ...others];
  const body = names.reduceRight((inner, name, at) => FAMILIES[name]?.(random, inner, `i${at}`) ?? inner, RECT);
  const text = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${(width * HEIGHT) / WIDTH}" viewBox="0 0 ${WIDTH} ${HEIGHT}">${body}</svg>`;
  return { name: names.join(" of "), text };
}
