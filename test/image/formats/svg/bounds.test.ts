/** What a drawing amounts to is known before it is drawn: circles end, and what multiplies is refused. */
import { describe, expect, it, vi } from "vitest";

import { ApiError } from "../../../../src/errors.ts";
import type { Demand, Facts } from "../../../../src/image/codec/format.ts";
import { svg } from "../../../../src/image/formats/svg.ts";
import { demandsOf } from "../../../../src/image/formats/svg/demands.ts";
import { drawnSvg } from "../../../../src/image/formats/svg/drawn.ts";
import { expansionOf } from "../../../../src/image/formats/svg/expansion.ts";
import { graphOf } from "../../../../src/image/formats/svg/graph.ts";
import { ParsedSvg, wholeView } from "../../../../src/image/formats/svg/resvg.ts";
import { UNPAUSED } from "../../../../src/scheduler/time-slice.ts";
import { Fuel } from "../../../../wasm/fuel/fuel.ts";
import gray from "../../../fixtures/jpeg/gray.jpg";
import { daily } from "../../../support/exhaustive.ts";
import { decodeFile, outcomeOf } from "../../../support/files.ts";
import { drain, type Pixels } from "../../../support/rows.ts";

const times = (count: number, part: (index: number) => string) =>
  Array.from({ length: count }, (_, i) => part(i)).join("");

/** The whole of a drawing at a size. */
async function drawnAt(bytes: Uint8Array, width: number, height: number): Promise<Uint8Array> {
  const facts = svg.read.factsOf(bytes);
  const box = { x: 0, y: 0, width: facts.width, height: facts.height };
  return (await drawnPart(bytes, facts, { box, width, height })).data;
}

async function drawnPart(bytes: Uint8Array, facts: Facts, demand: Demand): Promise<Pixels> {
  for await (const { rows } of svg.read.open(bytes, facts, demand, UNPAUSED)) return await drain(rows);
  throw new Error("no frame");
}

function drawing(body: string, attributes = 'width="40" height="30"'): Uint8Array {
  const namespaces = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"';
  return new TextEncoder().encode(`<svg ${namespaces} ${attributes}>${body}</svg>`);
}

const pattern = (id: string, content: string, attributes = "") =>
  `<pattern id="${id}" width="9" height="9" patternUnits="userSpaceOnUse" ${attributes}>${content}</pattern>`;
const RECT = '<rect width="9" height="9"/>';

/** The sentence that refuses a drawing; nothing for one that is drawn. */
async function refusal(bytes: Uint8Array): Promise<string> {
  try {
    await decodeFile(svg, bytes);
    return "";
  } catch (error) {
    if (error instanceof ApiError && error.status === 422) return error.message;
    throw error;
  }
}

/** Each with a rectangle besides, which must be there. */
const CIRCLES: Readonly<Record<string, string>> = {
  "two patterns":
    pattern("a", `<rect width="5" height="5" fill="url(#b)"/>`) +
    pattern("b", `<rect width="5" height="5" fill="url(#a)"/>`) +
    '<rect width="9" height="9" fill="url(#a)"/>',
  "three patterns":
    pattern("a", `<rect width="5" height="5" fill="url(#b)"/>`) +
    pattern("b", `<rect width="5" height="5" fill="url(#c)"/>`) +
    pattern("c", `<rect width="5" height="5" fill="url(#a)"/>`) +
    '<rect width="9" height="9" fill="url(#a)"/>',
  "fill and stroke":
    pattern("a", `<rect width="5" height="5" fill="url(#b)"/>`) +
    pattern("b", `<rect width="5" height="5" style="stroke:url(#a)"/>`) +
    '<rect width="9" height="9" fill="url(#a)"/>',
  "an inherited paint": `<g fill="url(#a)">${pattern("a", RECT)}${RECT}</g>`,
  "templates of patterns": `<pattern id="a" xlink:href="#b"/><pattern id="b" href="#a"/><rect width="9" height="9" fill="url(#a)"/>`,
  gradients:
    '<linearGradient id="a" href="#b"/><linearGradient id="b" href="#a"/><rect width="9" height="9" fill="url(#a)"/>',
  masks: `<mask id="a" mask="url(#b)">${RECT}</mask><mask id="b" mask="url(#c)">${RECT}</mask><mask id="c" mask="url(#a)">${RECT}</mask><rect width="9" height="9" mask="url(#a)"/>`,
  "clip paths": `<clipPath id="a" clip-path="url(#b)">${RECT}</clipPath><clipPath id="b" clip-path="url(#c)">${RECT}</clipPath><clipPath id="c"><rect width="9" height="9" clip-path="url(#a)"/></clipPath><rect width="9" height="9" clip-path="url(#a)"/>`,
  "a mask and a pattern": `<mask id="a"><rect width="9" height="9" fill="url(#b)"/></mask>${pattern("b", '<rect width="9" height="9" mask="url(#a)"/>')}<rect width="9" height="9" mask="url(#a)"/>`,
  markers:
    '<marker id="a"><path d="M0 0h1v1" marker-mid="url(#b)"/></marker><marker id="b"><path d="M0 0h1v1" marker-mid="url(#a)"/></marker><path d="M0 0h9v9h9" marker-mid="url(#a)"/>',
  filters:
    '<filter id="a"><feImage href="#r"/></filter><g id="r"><rect width="9" height="9" filter="url(#b)"/></g><filter id="b"><feImage href="#s"/></filter><rect id="s" width="9" height="9" filter="url(#a)"/>',
  "a style sheet": `<style>.x{fill:url(#a)}</style>${pattern("a", '<rect width="9" height="9" class="x"/>')}<rect class="x" width="9" height="9"/>`,
  uses: '<g id="a"><use href="#b"/></g><g id="b"><use href="#c"/></g><g id="c"><use href="#a"/></g>',
  "an element in itself": '<g id="a"><rect width="9" height="9"/><use href="#a"/></g>',
};

const image = `<image id="i" width="1" height="1" href="data:image/jpeg;base64,${btoa(String.fromCharCode(...new Uint8Array(gray)))}"/>`;

const MULTIPLIED: Readonly<Record<string, string>> = {
  uses:
    RECT.replace("<rect", '<rect id="a0"') +
    times(9, (i) => `<g id="a${i + 1}">${`<use href="#a${i}"/>`.repeat(6)}</g>`),
  patterns:
    pattern("p0", RECT) +
    times(8, (i) => pattern(`p${i + 1}`, `<rect width="9" height="9" fill="url(#p${i})"/>`.repeat(10))) +
    '<rect width="9" height="9" fill="url(#p8)"/>',
  "patterns that are inherited": pattern("p", RECT.repeat(1_000)) + `<g style="fill:url(#p)">${RECT.repeat(1_000)}</g>`,
  "patterns of a style sheet": `<style>.a rect{fill:url(#p)}</style>${pattern("p", RECT.repeat(1_000))}<g class="a">${RECT.repeat(1_000)}</g>`,
  "patterns by reuse": `${pattern("p", RECT.repeat(1_000))}<g id="g">${RECT.repeat(1_000)}</g><use href="#g" fill="url(#p)"/>`,
  masks:
    `<mask id="p0">${RECT}</mask>` +
    times(7, (i) => `<mask id="p${i + 1}">${`<rect width="9" height="9" mask="url(#p${i})"/>`.repeat(10)}</mask>`) +
    '<rect width="9" height="9" mask="url(#p7)"/>',
  "clip paths":
    `<clipPath id="p0">${RECT}</clipPath>` +
    times(
      7,
      (i) => `<clipPath id="p${i + 1}">${`<rect width="9" height="9" clip-path="url(#p${i})"/>`.repeat(10)}</clipPath>`,
    ) +
    '<rect width="9" height="9" clip-path="url(#p7)"/>',
  markers:
    `<marker id="m0">${RECT}</marker>` +
    times(4, (i) => `<marker id="m${i + 1}"><path d="M0 0${"h1v1".repeat(50)}" marker-mid="url(#m${i})"/></marker>`) +
    '<path d="M0 0h9v9h9v9h9" marker-mid="url(#m4)"/>',
  "a marker at each point": `<marker id="m">${RECT.repeat(50)}</marker><path style="marker-mid:url(#m)" d="M0 0${"1 1".repeat(10_000)}"/>`,
  filters: `<filter id="f">${'<feTurbulence baseFrequency=".1"/>'.repeat(20)}</filter>${'<rect width="40" height="30" filter="url(#f)"/>'.repeat(300)}`,
  "filters of other filters": `<filter id="f"><feImage href="#x"/></filter><g id="x">${'<rect width="40" height="30" filter="blur(1px)"/>'.repeat(100)}</g>${'<rect width="9" height="9" filter="url(#f)"/>'.repeat(100)}`,
  "a picture": image + '<use href="#i"/>'.repeat(3_000),
  "searches for links": `<g>${RECT.repeat(40_000)}</g><rect id="z" width="2" height="2"/>${'<use href="#z"/>'.repeat(40_000)}`,
  "style rules": `<style>${times(20_000, (i) => `g g.c${i} rect.a${i}{fill:red}`)}</style>${RECT.repeat(20_000)}`,
  "style rules that refer": `<style>${times(1_500, (i) => `*{fill:url(#p${i})}`)}</style>${RECT.repeat(13_000)}`,
  dashes: `<path fill="none" stroke="red" stroke-dasharray=".02" d="M0 0${"l39 1-39 1".repeat(300)}"/>`,
  "dashes that are inherited": `<g style="stroke-dasharray:.02,.01">${'<circle r="9" stroke="red"/>'.repeat(300)}</g>`,
  "dashes of a style sheet": `<style>circle{stroke-dasharray:.02}</style>${'<circle r="9" stroke="red"/>'.repeat(300)}`,
  "dashes by reuse": `<g id="g">${'<path d="M0 0C1 2 900 900 9 9z"/>'.repeat(30)}</g><use href="#g" stroke="red" stroke-dasharray=".1"/>`,
  "dashes in a pattern": `<g stroke-dasharray=".1">${pattern("p", '<path stroke="red" d="M0 0A900 900 0 1 1 9 9"/>'.repeat(9))}</g><rect width="9" height="9" fill="url(#p)"/>`,
  "stops of gradients": `<linearGradient id="p">${times(300, (i) => `<stop offset="${i / 300}" stop-color="red"/>`)}</linearGradient><g fill="url(#p)">${RECT.repeat(300)}</g>`,
  letters: `<text>${"abc def ".repeat(12_000)}</text>`,
  "spans of a line": `<text>${"<tspan>abc</tspan>".repeat(10_000)}</text>`,
  "a chain of uses":
    times(900, (i) => `<g id="d${i}"><use href="#d${i + 1}"/></g>`) + '<rect id="d900" width="4" height="4"/>',
  "a chain of masks":
    times(150, (i) => `<mask id="d${i}"><rect width="9" height="9" mask="url(#d${i + 1})"/></mask>`) +
    '<rect width="4" height="4" mask="url(#d0)"/>',
};

const HONEST: Readonly<Record<string, string>> = {
  "a symbol used 5,000 times": `<symbol id="s">${RECT}${RECT}</symbol>${'<use href="#s" x="1"/>'.repeat(5_000)}`,
  "a hundred shadows": `<filter id="f"><feGaussianBlur stdDeviation="1"/><feOffset dx="1"/><feMerge><feMergeNode/><feMergeNode in="SourceGraphic"/></feMerge></filter>${'<rect width="2" height="2" filter="url(#f)"/>'.repeat(100)}`,
  "arrows along a line": `<marker id="m"><path d="M0 0l2 1l-2 1z"/></marker><path fill="none" stroke="red" marker-mid="url(#m)" d="M0 0${"l.03 1l.03-1".repeat(500)}"/>`,
  "hundreds of dashed lines": `<g stroke="red" stroke-dasharray="3 1">${'<path d="M0 0h400v300"/>'.repeat(400)}</g>`,
  "dashes that are taken back": `<g stroke-dasharray=".001">${'<path stroke="red" stroke-dasharray="none" d="M0 0h400"/>'.repeat(50)}</g>`,
  "a drawing in large numbers": `<g transform="scale(.0001)" stroke="red" stroke-dasharray="3000 1000"><path d="M400000 1L390000 9L400000 300000"/></g>`,
  "text with a place for each word": `<text>${times(1_000, (i) => `<tspan x="${i}" y="9">word</tspan>`)}</text>`,
  "a map":
    times(20_000, (i) => `<path d="M${i % 40} 0l1 1h2z" class="a"/>`) + "<style>.a{fill:#123;opacity:.9}</style>",
  "a pattern on what is around it": `<g fill="url(#a)">${pattern("a", '<rect width="5" height="5" fill="red"/>')}${RECT}</g>`,
};

/** As long as a file may be; an eighth shows time squared as well. */
const LETTERS = daily(1 << 19, (4 << 20) - 1_000);
const long = (part: string) => part.repeat(Math.floor(LETTERS / part.length));

/** Documents on which a careless search takes time squared. */
const LONG: Readonly<Record<string, Uint8Array>> = {
  "digits of a length": drawing("", `width="${long("1")}!" height="${"1.".repeat(9)}"`),
  "blanks of a length": drawing("", `width="1${long(" ")}x"`),
  "numbers of a box": drawing("", `viewBox="${long("1 ")}"`),
  "numbers of a filter": drawing(`<filter><feMorphology radius="${long("1 ,")}"/></filter>`),
  "declarations of entities": new TextEncoder().encode(`<!DOCTYPE svg [${long("<!ENTITY a ")}]><svg/>`),
  "blanks of entities": new TextEncoder().encode(`<!DOCTYPE svg [<!ENTITY${long(" ")}]><svg/>`),
  "quotes of entities": new TextEncoder().encode(`<!DOCTYPE svg [${long("<!ENTITY a '")}]><svg/>`),
  "document types": new TextEncoder().encode(`${long("<!DOCTYPE>")}<svg/>`),
  comments: drawing(long("<!---->")),
  "references to letters": drawing(`<text>${"&amp;".repeat(20_000)}</text><desc>${long("&lt;")}</desc>`),
  classes: drawing(`<style>.b rect{fill:url(#a)}</style><g class="${long("a ")}"/>`),
  points: drawing(`<polyline points="${long("1,")}"/><path d="${"e".repeat(100_000)}"/>`),
  "an unfinished picture": drawing(`<image href="data:image/png;base64,${long("A")}"/>`),
  "blanks of a picture": drawing(`<image href="data:image/png;base64,${long(" ")}!"/>`),
  imports: drawing(`<style>${"@import".repeat(250_000)}{</style>`),
  functions: drawing(`<g fill="${long("url(")}"/>`),
  styles: drawing(`<g style="${long("fill:red;")}"/>`),
};

describe("an SVG", () => {
  it.each(Object.entries(CIRCLES))("is drawn without what closes a circle: %s", async (_name, body) => {
    const bytes = drawing(`${body}<rect x="30" y="20" width="10" height="10" fill="#0f0"/>`);
    const { data, width } = await decodeFile(svg, bytes);
    const at = (25 * width + 35) * 4;
    expect([...data.subarray(at, at + 4)]).toEqual([0, 255, 0, 255]);
  });

  it("keeps of two patterns in a circle the one that is used", async () => {
    const body =
      pattern("a", `<rect width="9" height="9" fill="#f00"/><rect width="2" height="9" fill="url(#b)"/>`) +
      pattern("b", `<rect width="9" height="9" fill="#00f"/><rect width="9" height="4" fill="url(#a)"/>`) +
      '<rect width="9" height="9" fill="url(#a)"/>';
    const { data } = await decodeFile(svg, drawing(body));
    expect([...data.subarray(0, 4), ...data.subarray(20, 24)]).toEqual([0, 0, 255, 255, 255, 0, 0, 255]);
  });

  it.each(Object.entries(MULTIPLIED))("is refused before it is drawn when it multiplies: %s", async (_name, body) => {
    const bytes = drawing(body);
    expect(() => svg.read.factsOf(bytes)).toThrow(ApiError);
    expect(await refusal(bytes)).toMatch(/too (?:much|large|many)|elements that refer to each other/);
  });

  it.each(Object.entries(HONEST))("is drawn with %s", async (_name, body) => {
    expect(await outcomeOf(svg, drawing(body))).toBe("decoded");
  });

  it("is counted as often as its parts are used", () => {
    const body =
      `<g id="g"><rect width="1" height="1"/><path d="M0 0h1v1h1z"/></g><use href="#g"/><use href="#g"/>` +
      `<marker id="m"><circle r="1"/></marker><path d="M0 0h1v1" marker-start="url(#m)" marker-end="url(#m)"/>`;
    const { elements, vertices, layers } = expansionOf(graphOf(drawnSvg(drawing(body)).root));
    // The root, the group thrice with two shapes each, two uses, a path, and a circle in a marker twice.
    expect(elements).toBe(1 + 3 * 3 + 2 + 1 + 2);
    expect(vertices).toBe(3 * (8 + 5) + 3 + 2 * 4);
    expect(layers).toBe(2);
  });

  it("is told how deep its layers lie in each other, not how many there are", () => {
    const side = demandsOf(drawnSvg(drawing('<g opacity=".5"/>'.repeat(50))).root);
    const deep = demandsOf(drawnSvg(drawing('<g opacity=".5">'.repeat(50) + "</g>".repeat(50))).root);
    expect(deep.pixelBytes - side.pixelBytes).toBe(49 * 8);
  });

  it.each(Object.entries(LONG))("is read in time that grows with its length only: %s", async (_name, bytes) => {
    try {
      svg.read.factsOf(bytes);
      await svg.recompress.run(bytes);
    } catch (error) {
      expect(error).toMatchObject({ status: 422 });
    }
  });

  it("is parsed once, however many strips it is drawn in", async () => {
    const body = '<text x="2" y="20" font-size="20">Ag</text><circle cx="30" cy="9" r="9" fill="red"/>';
    const bytes = drawing(body);
    const encode = vi.spyOn(TextEncoder.prototype, "encode");
    const tall = await drawnAt(bytes, 2_000, 1_500);
    expect(encode.mock.calls.filter(([text]) => text?.startsWith("<svg"))).toHaveLength(1);
    encode.mockRestore();
    // Where strips meet nothing shows: curves are cut off at their edges, and rounded anew to quarters of a row.
    const large = drawing(`<g transform="scale(50)">${body}</g>`, 'width="2000" height="1500"');
    const means = { timeSlice: UNPAUSED, fuel: new Fuel(2_000) };
    const view = wholeView({ width: 2_000, height: 1_500 });
    const whole = new ParsedSvg(new TextDecoder().decode(large), means, view);
    const data = await whole.draw(0, 1_500);
    whole.close();
    const most = tall.reduce(
      (found, value, at) => (at % 4 === 3 ? Math.max(found, Math.abs(value - (data[at] ?? 0))) : found),
      0,
    );
    expect(most).toBeLessThanOrEqual(64);
  });

  it.each([
    ["one end", RECT],
    ["the other end", '<text x="2" y="29">Ag</text>'],
    ["a drawing within it", '<svg width="9" height="9"><circle r="20"/></svg>'],
    ["a symbol", '<symbol id="s" width="9" height="9"><circle r="20"/></symbol><use href="#s"/>'],
  ])("is drawn large with something at %s only", async (_name, body) => {
    const bytes = drawing(body, 'width="40" height="30" style="overflow:hidden"');
    const data = await drawnAt(bytes, 4_000, 3_000);
    expect(data.some((value) => value === 255)).toBe(true);
  });

  it.each([
    [
      "a layer",
      '<clipPath id="c"><rect width="40" height="30"/></clipPath><path d="M1 1h9v28h-9z" clip-path="url(#c)"/>',
    ],
    [
      "a layer in a layer",
      '<g opacity=".99"><path d="M1 1h9v28h-9z"/><g opacity=".99"><path d="M1 1h9v28h-9z"/><path d="M1 1h9v28h-9z"/></g></g>',
    ],
  ])("shows all of %s, in strips and in a region", async (_name, body) => {
    const bytes = drawing(body);
    const data = await drawnAt(bytes, 2_000, 1_500);
    const column = Array.from({ length: 1_500 }, (_, y) => data[(y * 2_000 + 250) * 4 + 3] ?? 0);
    expect(column.map((alpha, y) => alpha > 200 === (y >= 50 && y < 1_450))).not.toContain(false);
    const facts = svg.read.factsOf(bytes);
    const box = { x: 0, y: 27, width: 40, height: 3 };
    const region = (await drawnPart(bytes, facts, { box, width: 400, height: 30 })).data;
    expect([5, 15, 25].map((y) => (region[(y * 400 + 50) * 4 + 3] ?? 0) > 200)).toEqual([true, true, false]);
  });

  it("is drawn whole where strips would be too far from what is drawn apart", async () => {
    const body = '<g opacity=".5"><rect y="28" width="40" height="2"/><rect y="27" width="40" height="2"/></g>';
    const bytes = drawing(`${body}<g opacity=".5"><rect width="40" height="1"/><rect width="20" height="1"/></g>`);
    const data = await drawnAt(bytes, 4_000, 3_000);
    const alphas = [50, 1_000, 2_950].map((y) => data[(y * 4_000 + 100) * 4 + 3]);
    expect(alphas).toEqual([128, 0, 128]);
  });

  it("is refused at a size at which its strips would take too long", async () => {
    const bytes = drawing(`<g fill="none" stroke="red">${times(30_000, () => '<path d="M0 0h1v1h-1z"/>')}</g>`);
    const facts = svg.read.factsOf(bytes);
    const box = { x: 0, y: 0, width: 40, height: 30 };
    const drawn = drawnPart(bytes, facts, { box, width: 12_000, height: 9_000 });
    await expect(drawn).rejects.toThrow(/too much detail/);
  });
});
