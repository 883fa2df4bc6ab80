/** Rules within rules, rules about what is in elements, colors told by others, and filters that move pixels. */
import { describe, expect, it } from "vitest";

import { svg } from "../../../../src/image/formats/svg.ts";
import { decodeFile } from "../../../support/files.ts";

const GREEN = [0, 128, 0, 255];
const NOTHING = [0, 0, 0, 0];
const SQUARE = '<rect width="40" height="40" class="c"/>';

type Place = readonly [x: number, y: number, color: readonly number[]];

/** Drawings of 40 by 40 pixels, and what is at single places of them, as in Chromium 150. */
const DRAWINGS: Readonly<Record<string, readonly [body: string, ...places: Place[]]>> = {
  "a rule within a rule": [`<style>g{.c{fill:green}}</style><g>${SQUARE}</g>`, [20, 20, GREEN]],
  "a rule about the element of the rule around": [
    `<style>.c{fill:red;&amp;[width]{fill:green}}</style>${SQUARE}`,
    [20, 20, GREEN],
  ],
  "a rule about an element in the one around it": [
    `<style>.c{g &amp;{fill:green}}</style><g>${SQUARE}</g>`,
    [20, 20, GREEN],
  ],
  "a rule within a rule for some surroundings": [
    `<style>.c{fill:red;@media (prefers-color-scheme:light){fill:green}}</style>${SQUARE}`,
    [20, 20, GREEN],
  ],
  "a declaration behind a rule within": [`<style>.c{&amp; {fill:red}fill:green}</style>${SQUARE}`, [20, 20, GREEN]],
  "a rule within a rule of several selectors, which counts as the one that says most": [
    `<style>#none,g{> .c{fill:green}}g .c{fill:red}</style><g>${SQUARE}</g>`,
    [20, 20, GREEN],
  ],
  "a rule about what is in an element": [
    `<style>.c{fill:red}g:has(> .c) .c{fill:green}</style><g>${SQUARE}</g>`,
    [20, 20, GREEN],
  ],
  "a rule about what is behind an element": [
    `<style>.c:has(+ path){fill:green}.c:has(+ circle){fill:red}</style>${SQUARE}<path/>`,
    [20, 20, GREEN],
  ],
  "a color that is told by another": [
    '<rect width="40" height="40" style="--a:#008000;fill:rgb(from var(--a) r calc(g * 1) b)"/>',
    [20, 20, GREEN],
  ],
  "what is moved by a map": [
    // Red 1 and green 1/2 move by half of the scale to the left, and not up or down.
    `<filter id="f" filterUnits="userSpaceOnUse" x="0" y="0" width="40" height="40" color-interpolation-filters="sRGB">
      <feFlood flood-color="rgb(255,128,0)"/><feDisplacementMap in="SourceGraphic" scale="20" xChannelSelector="R" yChannelSelector="G"/>
    </filter><g filter="url(#f)"><path fill="none" d="M0 0h40v40h-40z"/><rect x="20" width="10" height="40" fill="green"/></g>`,
    [15, 20, GREEN],
    [25, 20, NOTHING],
    [5, 20, NOTHING],
  ],
  "what is moved by a translucent map in light": [
    `<filter id="f" filterUnits="userSpaceOnUse" x="0" y="0" width="40" height="40">
      <feFlood flood-color="rgb(255,188,0)" flood-opacity=".5"/><feDisplacementMap in="SourceGraphic" scale="20" xChannelSelector="R" yChannelSelector="G"/>
    </filter><g filter="url(#f)"><path fill="none" d="M0 0h40v40h-40z"/><rect x="20" width="10" height="40" fill="green"/></g>`,
    [15, 20, GREEN],
    [25, 20, NOTHING],
  ],
};

describe("a drawing", () => {
  it.each(Object.entries(DRAWINGS))("has %s", async (_name, [body, ...places]) => {
    const text = `<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40">${body}</svg>`;
    const { data, width } = await decodeFile(svg, new TextEncoder().encode(text));
    for (const [x, y, color] of places) {
      const at = (y * width + x) * 4;
      expect([...data.subarray(at, at + 4)]).toEqual(color);
    }
  });
});
