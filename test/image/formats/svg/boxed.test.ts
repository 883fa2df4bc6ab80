/** What depends on boxes and outlines: shapes that cut off, dashes, paint that is transformed, and letters. */
import { describe, expect, it } from "vitest";

import { svg } from "../../../../src/image/formats/svg.ts";
import { type Drawings, drawn, expectPlaces, GREEN, NOTHING, RED } from "../../../support/svg-drawings.ts";

const cut = (shape: string) => `<rect x="10" y="10" width="20" height="20" fill="green" style="clip-path:${shape}"/>`;
const INSIDE = [13, 20, GREEN] as const;
const OUTSIDE = [27, 20, NOTHING] as const;

const DRAWINGS: Drawings = {
  "a path in the box that it cuts": [cut("path('M0 0h10v20h-10z')"), INSIDE, OUTSIDE],
  "a polygon of calculations": [cut("polygon(0 0, calc(50% - 0px) 0, max(10px, 5px) 100%, 0 100%)"), INSIDE, OUTSIDE],
  "commands of a shape": [
    cut("shape(from 0% 0%, hline to 50%, line by 0 100%, curve to 0% 100% with 25% 100%, close)"),
    INSIDE,
    OUTSIDE,
  ],
  "a circle about a calculated place": [cut("circle(5px at calc(100% - 15px) 50%)"), INSIDE, OUTSIDE],
  "corners of their own": [cut("inset(0 round 0 20px 0 0)"), [11, 11, GREEN], [28, 11, NOTHING], [28, 28, GREEN]],
  "a cut used element about its own middle": [
    '<defs><rect id="r" width="20" height="20" fill="green"/></defs><use href="#r" x="10" y="10" style="transform-box:fill-box;transform-origin:center;transform:scale(.5)"/>',
    [20, 20, GREEN],
    [13, 13, NOTHING],
  ],
  "variables of what uses an element": [
    '<style>#s .c{fill:var(--a,red)}</style><symbol id="s"><path class="c" d="M0 0h20v20h-20z"/><path d="M0 20h20v20h-20z" fill="var(--b,green)"/></symbol><use href="#s" style="--a:green"/><g style="--a:green;--b:red"><use href="#s" x="20"/></g>',
    [10, 10, GREEN],
    [10, 30, GREEN],
    [30, 10, GREEN],
    [30, 30, RED],
  ],
  "variables of what uses a use": [
    '<defs><rect id="r" width="40" height="40" style="fill:var(--a,red)"/><g id="g"><use href="#r"/></g></defs><use href="#g" style="--a:green"/>',
    [20, 20, GREEN],
  ],
  "dashes of a path that says its length": [
    '<path d="M0 20H40" stroke="green" stroke-width="10" pathLength="4" stroke-dasharray="1"/>',
    [5, 20, GREEN],
    [15, 20, NOTHING],
    [25, 20, GREEN],
  ],
  "dashes that an element around says": [
    '<g stroke="green" stroke-width="10" stroke-dasharray="50 50" stroke-dashoffset="-50"><line y1="20" x2="40" y2="20" pathLength="100"/></g>',
    [10, 20, NOTHING],
    [30, 20, GREEN],
  ],
  "dashes of a curve": [
    '<circle cx="20" cy="20" r="10" pathLength="100" fill="none" stroke="green" stroke-width="6" stroke-dasharray="50 50"/>',
    [20, 30, GREEN],
    [20, 10, NOTHING],
  ],
  "a mask by an older name, with more words": [
    '<mask id="m"><rect width="20" height="40" fill="white"/></mask><rect width="40" height="40" fill="green" style="-webkit-mask:url(#m) no-repeat"/>',
    [10, 20, GREEN],
    [30, 20, NOTHING],
  ],
  "a cut drawing within the drawing": [
    '<svg x="20" y="20" width="20" height="20" style="clip-path:circle(5px)"><rect width="20" height="20" fill="green"/></svg>',
    [30, 30, GREEN],
    [22, 22, NOTHING],
    [5, 5, NOTHING],
  ],
  "an origin that is calculated": [
    '<rect width="20" height="40" fill="green" style="transform:scale(-1,1);transform-origin:calc(50% + 10px) top;transform-box:fill-box"/>',
    [30, 20, GREEN],
    [10, 20, NOTHING],
  ],
  "a part of a filter in its own color": [
    '<filter id="f" x="0" y="0" width="1" height="1" color-interpolation-filters="sRGB"><feFlood color="green" flood-color="currentColor"/></filter><rect width="40" height="40" filter="url(#f)"/>',
    [20, 20, GREEN],
  ],
  "what a filter moves, cut off at the region of that part": [
    '<filter id="f" filterUnits="userSpaceOnUse" x="0" y="0" width="40" height="40"><feOffset x="15" y="5" width="10" height="20" dx="10"/></filter><rect width="20" height="40" fill="green" filter="url(#f)"/>',
    [20, 20, GREEN],
    [12, 20, NOTHING],
    [27, 20, NOTHING],
    [20, 27, NOTHING],
    [20, 3, NOTHING],
  ],
  "tiles as large as what is moved into them says": [
    '<filter id="f" filterUnits="userSpaceOnUse" x="0" y="0" width="40" height="40" color-interpolation-filters="sRGB"><feFlood x="0" y="0" width="10" height="10" flood-color="green"/><feOffset x="0" y="0" width="20" height="20" dx="5" dy="5" result="moved"/><feTile in="moved"/></filter><rect width="40" height="40" filter="url(#f)"/>',
    [10, 10, GREEN],
    [30, 30, GREEN],
    [2, 10, NOTHING],
    [18, 10, NOTHING],
    [10, 18, NOTHING],
    [22, 30, NOTHING],
  ],
  "a shape that asks for features of a renderer": [
    '<switch><rect width="40" height="40" fill="green" requiredFeatures="http://www.w3.org/TR/SVG11/feature#SVG-static none"/><rect width="40" height="40" fill="red"/></switch>',
    [20, 20, GREEN],
  ],
  "a shape with a filter that is not there": [
    '<rect width="40" height="40" fill="green" filter="url(#none)"/>',
    [20, 20, GREEN],
  ],
  "a gradient that a style turns": [
    '<linearGradient id="g" style="transform:rotate(90deg)"><stop offset=".5" stop-color="green"/><stop offset=".5" stop-color="red"/></linearGradient><rect width="40" height="40" fill="url(#g)"/>',
    [35, 5, GREEN],
    [5, 35, RED],
  ],
  "a pattern that a style moves": [
    '<style>pattern{transform:translateX(10px)}</style><pattern id="p" width="20" height="40" patternUnits="userSpaceOnUse"><path fill="green" d="M0 0h10v40h-10z"/></pattern><rect width="40" height="40" fill="url(#p)"/>',
    [5, 20, NOTHING],
    [15, 20, GREEN],
  ],
  "a gradient that turns about its middle": [
    '<linearGradient id="g" gradientTransform="rotate(90)" transform-origin="0.5 0.5"><stop offset=".5" stop-color="green"/><stop offset=".5" stop-color="red"/></linearGradient><rect width="40" height="40" fill="url(#g)"/>',
    [20, 5, GREEN],
    [20, 35, RED],
  ],
  "a pattern that is smaller about a point": [
    '<pattern id="p" width="40" height="40" patternUnits="userSpaceOnUse" patternTransform="scale(.5)" style="transform-origin:20px 20px"><path fill="green" d="M0 0h20v20h-20z"/></pattern><rect width="40" height="40" fill="url(#p)"/>',
    [15, 15, GREEN],
    [35, 15, GREEN],
    [25, 15, NOTHING],
    [5, 15, NOTHING],
  ],
  "the transformation of the gradient that it refers to": [
    '<linearGradient id="a" gradientUnits="userSpaceOnUse" x2="10" gradientTransform="scale(2)"><stop offset="1" stop-color="green"/><stop offset="1" stop-color="red"/></linearGradient><linearGradient id="b" href="#a" transform-origin="9 9"/><linearGradient id="g" href="#b"/><rect width="40" height="40" fill="url(#g)"/>',
    [15, 20, GREEN],
    [25, 20, RED],
  ],
  "what grows by as much on each side": [
    '<filter id="f" filterUnits="userSpaceOnUse" x="0" y="0" width="40" height="40"><feMorphology operator="dilate" radius="1"/></filter><g filter="url(#f)"><rect x="10" y="10" width="20" height="20" fill="green"/></g>',
    [9, 9, GREEN],
    [30, 30, GREEN],
    [8, 20, NOTHING],
    [31, 20, NOTHING],
  ],
  "what shrinks by as much on each side": [
    '<filter id="f" filterUnits="userSpaceOnUse" x="0" y="0" width="40" height="40"><feMorphology operator="erode" radius="2"/></filter><g filter="url(#f)"><rect x="10" y="10" width="20" height="20" fill="green"/></g>',
    [12, 12, GREEN],
    [27, 27, GREEN],
    [11, 20, NOTHING],
    [28, 20, NOTHING],
  ],
  "a clip path that a style moves": [
    '<clipPath id="p" style="transform:translate(20px, 0)"><rect width="20" height="40"/></clipPath><rect width="40" height="40" fill="green" clip-path="url(#p)"/>',
    [10, 20, NOTHING],
    [30, 20, GREEN],
  ],
};

describe("a drawing", () => {
  it.each(Object.entries(DRAWINGS))("has %s", async (_name, [body, ...places]) => expectPlaces(body, places));

  it("has tiles of a pattern where they belong, whatever pixels they have", async () => {
    const pattern =
      '<pattern id="p" width="10.4" height="40" patternUnits="userSpaceOnUse"><path fill="green" d="M0 0h5.2v40h-5.2z"/></pattern>';
    const body = `${pattern}<rect width="200" height="40" fill="url(#p)"/>`;
    const { data, width } = await drawn(body, ' viewBox="0 0 200 40"', 200);
    const alphaAt = (x: number) => data[(20 * width + x) * 4 + 3];
    // The sixteenth tile begins at 156.
    expect([alphaAt(158), alphaAt(163)]).toEqual([255, 0]);
  });

  it("has its color beside a box of another shape", async () => {
    await expectPlaces(
      "",
      [
        [20, 1, GREEN],
        [20, 38, GREEN],
        [1, 20, GREEN],
      ],
      ' viewBox="0 0 40 10" style="background:green"',
    );
  });
});

describe("the box around a drawing", () => {
  const undrawn = (style: string, around = "svg") => {
    const inner = around === "svg" ? "<path/>" : `<${around} style="${style}"/>`;
    const text = `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9" style="${around === "svg" ? style : ""}">${inner}</svg>`;
    return svg.read.factsOf(new TextEncoder().encode(text)).undrawn;
  };

  it.each([
    ["border:1px solid red", "border: 1px is not drawn"],
    ["border-radius:50%", "border-radius: 50% is not drawn"],
    ["padding:.5em", "padding: .5em is not drawn"],
  ])("with %s is drawn without it, which is said", (style, warning) => {
    expect(undrawn(style)).toEqual([warning]);
  });

  it.each(["border:none", "border:0", "padding:0"])("says nothing of %s", (style) => {
    expect(undrawn(style)).toBeUndefined();
  });

  it("is of the whole alone", () => {
    expect(undrawn("border:1px solid red;padding:5px", "rect")).toBeUndefined();
  });
});

describe("text", () => {
  const said = (style: string, letters: string) => `<text y="30" font-size="10" style="${style}">${letters}</text>`;

  it.each([
    ["capitals", said("text-transform:uppercase", "ab"), said("", "AB")],
    ["words with capitals", said("text-transform:capitalize", "ab c"), said("", "Ab C")],
    ["small letters around", `<g style="text-transform:lowercase">${said("", "AB")}</g>`, said("", "ab")],
    [
      "all of a font at once",
      said("font:italic 700 20px/1.5 'A', serif", "ab"),
      said("font-style:italic;font-weight:700;font-size:20px", "ab"),
    ],
    [
      "letters that lean where no font does",
      `<g font-style="italic">${said("", "ab")}</g>`,
      `<g transform="matrix(1 0 -.25 1 7.5 0)">${said("", "ab")}</g>`,
    ],
    [
      "letters upright in what leans",
      said("font-style:italic", 'a<tspan font-style="normal">b</tspan>'),
      said("", "a<tspan>b</tspan>"),
    ],
    ["a size that is a word", said("font-size:x-large", "ab"), said("font-size:24px", "ab")],
    ["its blanks", said("white-space:pre", "a   b"), said("", "a&#160;&#160;&#160;b")],
    ["letters apart by parts of their size", said("letter-spacing:50%", "ab"), said("letter-spacing:5px", "ab")],
    ["a line over it", said("text-decoration-line:overline", "ab"), said("text-decoration:overline", "ab")],
  ])("has %s", async (_name, one, other) => {
    expect((await drawn(one)).data).toEqual((await drawn(other)).data);
  });
});
