/** Styles, forms of SVG 2 and of CSS, and pictures within drawings: what each does to single pixels. */
import { describe, expect, it } from "vitest";

import { svg } from "../../../../src/image/formats/svg.ts";
import { decodeFile } from "../../../support/files.ts";

const NAMESPACES = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"';
const GREEN = [0, 128, 0, 255];
const RED = [255, 0, 0, 255];
const NOTHING = [0, 0, 0, 0];

const document = (body: string, attributes = 'width="40" height="40"') =>
  `<svg ${NAMESPACES} ${attributes}>${body}</svg>`;
/** Eight by eight red pixels without loss, by libwebp. */
const WEBP = "UklGRhwAAABXRUJQVlA4TA8AAAAvB8ABAAcQ/Y/+ByKi/wEA";
const SQUARE = '<rect width="40" height="40" class="c" id="i"/>';

async function pixelsOf(text: string): Promise<(x: number, y: number) => number[]> {
  const { data, width } = await decodeFile(svg, new TextEncoder().encode(text));
  return (x, y) => [...data.subarray((y * width + x) * 4, (y * width + x) * 4 + 4)];
}

type Place = readonly [x: number, y: number, color: readonly number[]];

/** Drawings of 40 by 40 pixels, and what is at single places of them. */
const DRAWINGS: Readonly<Record<string, readonly [body: string, ...places: Place[]]>> = {
  "a variable of the root": [`<style>:root{--a:green}.c{fill:var(--a)}</style>${SQUARE}`, [20, 20, GREEN]],
  "a variable of a variable": [
    `<style>svg{--a:green;--b:var(--a)}</style><rect width="40" height="40" style="fill:var(--b)"/>`,
    [20, 20, GREEN],
  ],
  "a variable that an element around has": [
    `<g style="--a:green"><rect width="40" height="40" fill="var(--a)"/></g>`,
    [20, 20, GREEN],
  ],
  "a variable without a value": ['<rect width="40" height="40" fill="var(--none, green)"/>', [20, 20, GREEN]],
  "a variable in a variable in its place": [
    '<rect width="40" height="40" style="fill:var(--none, var(--more, green))"/>',
    [20, 20, GREEN],
  ],
  "a variable of itself": [
    '<g fill="green"><rect width="40" height="40" style="--a:var(--a);fill:var(--a)"/></g>',
    [20, 20, GREEN],
  ],
  "a sum of lengths": [
    '<rect style="width:calc(10px + 25%);height:calc(2 * (5px + 15px));fill:green"/>',
    [19, 39, GREEN],
    [21, 20, NOTHING],
  ],
  "a calculation in a transformation": [
    '<rect width="10" height="10" fill="green" style="transform:translate(calc(25% + 10px),calc(50% - 10px)) rotate(calc(1turn * 2))"/>',
    [25, 15, GREEN],
    [5, 5, NOTHING],
    [31, 15, NOTHING],
  ],
  "a stroke of a calculated width": [
    '<path d="M0 20h40" stroke="green" stroke-width="calc(1px * 10)"/>',
    [20, 16, GREEN],
    [20, 14, NOTHING],
  ],
  "a path that a style takes away": ['<path d="M0 0h40v40h-40z" style="d:none"/>', [20, 20, NOTHING]],
  "rules in layers, behind all without one": [
    "<style>.c{fill:green}@layer a{#i{fill:red}}</style>" + SQUARE,
    [20, 20, GREEN],
  ],
  "the later of two layers": [
    `<style>@layer a{#i{fill:red}}@layer b{.c{fill:green}}</style>${SQUARE}`,
    [20, 20, GREEN],
  ],
  "a property that is not known": [
    `<style>@supports not (no-such-property:1px){.c{fill:green}}@supports (no-such-property:1px){.c{fill:red}}</style>${SQUARE}`,
    [20, 20, GREEN],
  ],
  "the negation of a medium": [
    `<style>.c{fill:green}@media not screen{.c{fill:red}}</style>${SQUARE}`,
    [20, 20, GREEN],
  ],
  "data that a selector asks for": [
    '<style>[data-x="1"]{fill:green}</style><rect data-x="1" width="40" height="40"/>',
    [20, 20, GREEN],
  ],
  "a symbol of its own size": [
    '<symbol id="s" viewBox="0 0 1 1" width="10" height="10"><path fill="green" d="M0 0h1v1h-1z"/></symbol><use href="#s" x="20" y="20"/>',
    [25, 25, GREEN],
    [10, 10, NOTHING],
    [35, 35, NOTHING],
  ],
  "what is important": [`<style>.c{fill:green!important}#i{fill:red}</style>${SQUARE}`, [20, 20, GREEN]],
  "what is important beside a style": [
    '<style>rect{fill:green !important}</style><rect width="40" height="40" style="fill:red"/>',
    [20, 20, GREEN],
  ],
  "the rule that says more": [`<style>#i{fill:green}.c{fill:red}rect{fill:red}</style>${SQUARE}`, [20, 20, GREEN]],
  "the later of two rules": [`<style>.c{fill:red}.c{fill:green}</style>${SQUARE}`, [20, 20, GREEN]],
  "a value that is none": ['<rect width="40" height="40" style="fill:green;fill:nothing(1)"/>', [20, 20, GREEN]],
  "the negation of a class": [
    '<style>rect:not(.d){fill:green}</style><rect width="20" height="40"/><rect class="d" x="20" width="20" height="40" fill="red"/>',
    [10, 20, GREEN],
    [30, 20, RED],
  ],
  "a child by its number": [
    '<style>rect:nth-child(4){fill:green}</style><rect width="9" height="9" fill="red"/><rect fill="red" width="9" height="9"/><rect x="20" width="20" height="40"/>',
    [30, 20, GREEN],
    [4, 4, RED],
  ],
  "every second child": [
    '<style>rect:nth-of-type(2n+1){fill:green}</style><rect width="20" height="40"/><rect fill="red" x="20" width="20" height="40"/>',
    [10, 20, GREEN],
    [30, 20, RED],
  ],
  "an attribute of a value": [
    '<style>[data-x],rect[width^="4"]{fill:green}</style><rect width="40" height="40"/>',
    [20, 20, GREEN],
  ],
  "a child and a neighbor": [
    '<style>g>rect+rect{fill:green}</style><g><rect width="20" height="40" fill="red"/><rect x="20" width="20" height="40"/></g>',
    [10, 20, RED],
    [30, 20, GREEN],
  ],
  "a rule for light surroundings": [
    `<style>@media (prefers-color-scheme:dark){.c{fill:red}}@media (prefers-color-scheme:light){.c{fill:green}}</style>${SQUARE}`,
    [20, 20, GREEN],
  ],
  "the current color of an element within": [
    '<g fill="currentColor"><g color="green"><rect width="40" height="40"/></g></g>',
    [20, 20, GREEN],
  ],
  "the current color where it is used": [
    '<symbol id="s"><rect width="40" height="40" fill="currentColor"/></symbol><use href="#s" color="green"/>',
    [20, 20, GREEN],
  ],
  "a color in another space": ['<rect width="40" height="40" fill="oklch(51.975% 0.17686 142.495)"/>', [20, 20, GREEN]],
  "a color with a stroke of alpha": [
    '<rect width="40" height="40" style="fill:rgb(0 128 0 / 50%)"/>',
    [20, 20, [0, 128, 0, 128]],
  ],
  "a mixture of colors": [
    '<rect width="40" height="40" fill="color-mix(in srgb, red, blue)"/>',
    [20, 20, [128, 0, 128, 255]],
  ],
  "a turn about a point": [
    '<rect width="20" height="20" fill="green" style="transform:rotate(90deg);transform-origin:20px 20px"/>',
    [30, 10, GREEN],
    [10, 10, NOTHING],
  ],
  "a turn about a point by attributes": [
    '<rect width="20" height="20" fill="green" transform="rotate(90)" transform-origin="20 20"/>',
    [30, 10, GREEN],
    [10, 10, NOTHING],
  ],
  "a turn about the middle of a shape": [
    '<rect x="10" width="10" height="40" fill="green" style="transform:rotate(90deg);transform-box:fill-box;transform-origin:center"/>',
    [30, 20, GREEN],
    [15, 5, NOTHING],
  ],
  "a move by a part of a shape": [
    '<rect width="20" height="20" fill="green" style="transform-box:fill-box;transform:translate(100%,50%)"/>',
    [30, 25, GREEN],
    [10, 10, NOTHING],
  ],
  "a move, a turn and a scale": [
    '<rect width="10" height="10" fill="green" style="translate:20px 20px;scale:2"/>',
    [35, 35, GREEN],
    [15, 15, NOTHING],
  ],
  "places and sizes of a style sheet": [
    "<style>circle{cx:20px;cy:20px;r:10px;fill:green}</style><circle/>",
    [20, 20, GREEN],
    [5, 5, NOTHING],
  ],
  "a path of a style sheet": [
    `<style>path{d:path("M20 0h20v40h-20z")}</style><path d="M0 0h9v9" fill="green"/>`,
    [30, 20, GREEN],
    [5, 3, NOTHING],
  ],
  "a circle that cuts off": [
    '<rect width="40" height="40" fill="green" style="clip-path:circle(10px)"/>',
    [20, 20, GREEN],
    [5, 5, NOTHING],
  ],
  "edges that cut off": [
    '<rect width="40" height="40" fill="green" style="clip-path:inset(10px 0 0 25%)"/>',
    [30, 30, GREEN],
    [30, 5, NOTHING],
    [5, 30, NOTHING],
  ],
  "a polygon that cuts off": [
    '<g clip-path="polygon(0 0, 100% 0, 0 100%)"><rect width="40" height="40" fill="green"/></g>',
    [10, 10, GREEN],
    [35, 35, NOTHING],
  ],
  "a marker in the color of its line": [
    '<marker id="m" markerWidth="20" markerHeight="20" overflow="visible"><rect x="-10" y="-10" width="20" height="20" fill="context-stroke"/></marker><path d="M20 20h1" stroke="green" stroke-width="1" marker-start="url(#m)"/>',
    [14, 14, GREEN],
  ],
  "a stroke that does not grow": [
    '<g transform="scale(20)"><path d="M1 0v2" stroke="green" stroke-width="4" style="vector-effect:non-scaling-stroke"/></g>',
    [20, 20, GREEN],
    [24, 20, NOTHING],
    [15, 20, NOTHING],
  ],
  "a mask by alpha": [
    '<mask id="m" style="mask-type:alpha"><rect width="20" height="40" fill="#000"/></mask><rect width="40" height="40" fill="green" mask="url(#m)"/>',
    [10, 20, GREEN],
    [30, 20, NOTHING],
  ],
  "a drawing in it that is moved": [
    '<svg x="10" width="10" height="10" transform="translate(10 20)"><rect width="10" height="10" fill="green"/></svg>',
    [25, 25, GREEN],
    [35, 35, NOTHING],
  ],
  "a drawing in it that is half clear": [
    '<svg width="40" height="40" opacity=".5"><rect width="40" height="40" fill="green"/></svg>',
    [20, 20, [0, 128, 0, 128]],
  ],
  "the newer of two links": [
    '<rect id="a" width="40" height="40" fill="green"/><rect id="b" width="40" height="40" fill="red"/><g id="c"/><use xlink:href="#b" href="#a"/>',
    [20, 20, GREEN],
  ],
  "a gradient that begins with a circle": [
    '<radialGradient id="g" gradientUnits="userSpaceOnUse" cx="20" cy="20" r="20" fr="10"><stop stop-color="green"/><stop offset="1" stop-color="red"/></radialGradient><rect width="40" height="40" fill="url(#g)"/>',
    [20, 20, GREEN],
    [20, 12, GREEN],
    [0, 0, RED],
  ],
  "a length of the font of the root": [
    '<rect width="2rem" height="1rem" fill="green"/><rect x="2rem" width="8" height="40" style="fill:red"/>',
    [30, 8, GREEN],
    [36, 8, RED],
  ],
  "a length of the font of the root that it says": [
    '<g font-size="99"><rect width="2rem" height="10" fill="green"/></g><style>svg{font-size:10px}</style>',
    [18, 5, GREEN],
    [22, 5, NOTHING],
  ],
  "a length by digits of a font": [
    '<g font-size="20"><rect width="2ch" height="10" fill="green"/></g>',
    [18, 5, GREEN],
    [22, 5, NOTHING],
  ],
  "a drawing within an image": [
    `<image x="20" width="20" height="40" href="data:image/svg+xml;base64,${btoa(document('<style>rect{fill:green}</style><rect width="40" height="40"/>'))}"/><rect width="20" height="40" fill="red"/>`,
    [30, 20, GREEN],
    [10, 20, RED],
  ],
  "a drawing within an image as text": [
    `<g fill="red"><image width="40" height="40" href="data:image/svg+xml,${encodeURIComponent(document('<rect width="40" height="40" id="x" fill="url(#g)"/><linearGradient id="g"><stop stop-color="green"/></linearGradient>')).replaceAll("'", "%27")}"/></g>`,
    [20, 20, GREEN],
  ],
  "a WebP within": [`<image width="40" height="40" href="data:image/webp;base64,${WEBP}"/>`, [20, 20, RED]],
  "a picture of another kind than it says": [
    `<image width="40" height="40" href="data:image/png;base64,${WEBP}"/>`,
    [20, 20, RED],
  ],
};

describe("an SVG", () => {
  it.each(Object.entries(DRAWINGS))("is drawn with %s", async (_name, [body, ...places]) => {
    const at = await pixelsOf(document(body));
    for (const [x, y, color] of places) {
      const found = at(x, y);
      for (const [index, value] of color.entries())
        expect(Math.abs((found[index] ?? 0) - value)).toBeLessThanOrEqual(1);
    }
  });

  it("has the color that its root says behind it", async () => {
    const at = await pixelsOf(
      document(SQUARE.replace("40", "10"), 'width="40" height="40" style="background-color:green"'),
    );
    expect(at(30, 30)).toEqual(GREEN);
  });

  it.each([
    ["HTML", "<foreignObject/>", "HTML in foreignObject is not drawn"],
    ["a picture by address", '<image href="a.png"/>', "image by address is not drawn"],
    ["a style sheet by address", "<style>@import url(a.css);</style>", "style sheets by address are not read"],
    [
      "a picture of a kind that is not read",
      '<image href="data:image/avif;base64,AAAAIGZ0eXBhdmlm"/>',
      "a picture of a format other than PNG, JPEG, GIF and WebP is not drawn",
    ],
    [
      "a turn in space",
      '<rect width="9" height="9" style="transform:rotateX(20deg)"/>',
      "a transformation out of the plane is left out",
    ],
    ["letters of Chinese", "<text>\u6f22</text>", "letters that no font here has are not drawn"],
    [
      "an animation",
      '<rect><set attributeName="fill" to="red"/></rect>',
      "animations are left out: what they animate is as it is without them",
    ],
    ["an animation of a style", '<rect style="animation:a 1s"/>', "animation: a is not drawn"],
    ["a mask of a style", '<rect style="mask-image:linear-gradient(red,blue)"/>', "mask-image does not mask"],
    [
      "a way of blending that is not known",
      '<g style="mix-blend-mode:plus-lighter"/>',
      "mix-blend-mode: plus-lighter is not drawn",
    ],
    ["a color of another", '<rect fill="rgb(from red x 9 b)"/>', "a color that is not known is left out"],
    [
      "rules for containers",
      "<style>@container (width>1px){a{fill:red}}</style>",
      "style rules within @container are left out",
    ],
    [
      "a selector that cannot stay",
      "<style>rect:host(a){fill:red}</style>",
      "style rules whose selectors are not known are left out",
    ],
    [
      "a selector that is not known",
      "<style>rect:nth-child(a){fill:red}</style>",
      "style rules whose selectors are not known are left out",
    ],
    ["a shadow of letters", '<text style="text-shadow:1px 1px red"/>', "text-shadow: 1px is not drawn"],
    [
      "lines of another kind",
      '<text style="text-decoration:underline wavy red"/>',
      "text-decoration: wavy is not drawn",
    ],
    ["letters from right to left", '<text direction="rtl"/>', "direction: rtl is not drawn"],
    [
      "what is registered of variables",
      "<style>@property --a{syntax:'*';inherits:false;initial-value:red}</style>",
      "what @property says of variables is left out",
    ],
    ["small capitals", '<text style="font:small-caps 9px a"/>', "font-variant: small-caps is not drawn"],
    ["a calculation that is none", '<rect style="width:calc(1px + )"/>', "a calculation of width is left out"],
    [
      "a shape that is not known",
      '<rect width="9" height="9" style="clip-path:ray(1deg)"/>',
      "clip-path: ray() does not cut off",
    ],
  ])("says that it is drawn without %s", (_name, body, warning) => {
    expect(svg.read.factsOf(new TextEncoder().encode(document(body))).undrawn).toEqual([warning]);
  });

  it("says nothing where all of it is drawn", () => {
    expect(svg.read.factsOf(new TextEncoder().encode(document(SQUARE))).undrawn).toBeUndefined();
  });

  it("is refused with more rules than can be compared with its elements", () => {
    const rules = Array.from({ length: 1_000 }, (_, index) => `g g .a *:not(.b${index}){fill:red}`).join("");
    const text = document(`<style>${rules}</style>${'<g class="a"><g><rect/></g></g>'.repeat(3_000)}`);
    expect(() => svg.read.factsOf(new TextEncoder().encode(text))).toThrow(/too many style rules/);
  });
});
