/** What is used, all properties at once, and what is said of both: as in Chromium 156. */
import { describe, expect, it } from "vitest";

import { svg } from "../../../../src/image/formats/svg.ts";
import { type Drawings, expectPlaces, GREEN, NOTHING, RED } from "../../../support/svg-drawings.ts";

const styled = (css: string, body: string) => `<style>${css}</style>${body}`;
/** A square that stands on the left, and is used on the right. */
const USED = '<rect id="a" class="x" width="20" height="40"/><use href="#a" x="20"/>';
const BLACK = [0, 0, 0, 255];

const DRAWINGS: Drawings = {
  "an element of a class, by what is around it": [
    styled(".g .x{fill:red}", `<g class="g">${USED}</g>`),
    [10, 20, RED],
    [30, 20, BLACK],
  ],
  "an element by the root": [styled(":root .x{fill:red}", USED), [10, 20, RED], [30, 20, BLACK]],
  "an element in what only holds it": [
    styled(
      "defs &gt; .x{fill:red}",
      '<defs><rect id="a" class="x" width="20" height="40"/></defs><use href="#a" x="20"/>',
    ),
    [10, 20, NOTHING],
    [30, 20, BLACK],
  ],
  "an element behind another": [
    styled("circle + .x{fill:red}", `<circle r="0"/>${USED}`),
    [10, 20, RED],
    [30, 20, BLACK],
  ],
  "a first child, which what is used always is": [
    styled("rect{fill:red}rect:first-child{fill:green}", `<g><circle r="0"/>${USED}</g>`),
    [10, 20, RED],
    [30, 20, GREEN],
  ],
  "an element by what is around it within what is used": [
    styled("g .x{fill:green}", '<defs><g id="b"><rect class="x" width="20" height="40"/></g></defs><use href="#b"/>'),
    [10, 20, GREEN],
  ],
  "an element by what uses it, which is not around it": [
    styled(
      ".u .x{fill:red}",
      `<g class="u"><use href="#a" x="20"/></g><rect id="a" class="x" width="20" height="40"/>`,
    ),
    [10, 20, BLACK],
    [30, 20, BLACK],
  ],
  "what is used within what is used": [
    styled(
      ".g .x{fill:red}",
      `<defs><g class="g">${USED}<g id="b"><use href="#a" x="20"/></g></g></defs><use href="#b"/>`,
    ),
    [10, 20, NOTHING],
    [30, 20, BLACK],
  ],
  "all properties that are unset": [
    styled(
      "path{fill:red;opacity:.5}.x{all:unset}",
      '<g fill="green"><path class="x" stroke="red" stroke-width="9" d="M0 0h40v40h-40z"/></g>',
    ),
    [20, 20, NOTHING],
  ],
  "all properties that are unset, and one that is said again": [
    styled(
      "text,rect{fill:red;opacity:.5}.x{all:unset;width:40px;height:40px}",
      '<g fill="green"><rect class="x" x="30" width="1" height="1"/></g>',
    ),
    [20, 20, GREEN],
  ],
  "all properties as they are initially": [
    styled("rect{all:initial;width:40px;height:40px}", '<g fill="red"><rect fill="red"/></g>'),
    [20, 20, BLACK],
  ],
  "what is important beside all properties": [
    styled("rect{fill:green!important}", '<rect style="all:initial;width:40px;height:40px"/>'),
    [20, 20, GREEN],
  ],
};

describe("a drawing", () => {
  it.each(Object.entries(DRAWINGS))("has %s", async (_name, [body, ...places]) => {
    await expectPlaces(body, places);
  });

  it("has one copy for all uses that look the same, and many uses", async () => {
    const uses = Array.from({ length: 3_000 }, () => '<use href="#a" x="20"/>').join("");
    await expectPlaces(styled(".g .x{fill:red}", `<g class="g">${USED}</g>${uses}`), [[30, 20, BLACK]]);
  });

  const gradient = (said: string, more = "") =>
    `<radialGradient id="g" ${said}><stop/></radialGradient>${more}<rect width="9" height="9" fill="url(#g)"/>`;
  it.each([
    ["rings beyond both circles", gradient('fr=".1" spreadMethod="repeat"'), true],
    ["a first circle that is not within the second", gradient('fr=".2" fx=".9"'), true],
    ["a first circle in percent", gradient('fr="60%"'), true],
    [
      "rings that another gradient says",
      gradient('fr=".1" href="#h"', '<linearGradient/><radialGradient id="h" spreadMethod="reflect"/>'),
      true,
    ],
    ["a circle within the other", gradient('fr=".1"'), false],
    ["a point", gradient('fr="0" spreadMethod="repeat"'), false],
  ])("says whether it has other rings, of %s", (_name, body, isOther) => {
    const text = `<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40">${body}</svg>`;
    const { undrawn } = svg.read.factsOf(new TextEncoder().encode(text));
    expect(undrawn).toEqual(isOther ? ["a radial gradient with fr is drawn with other rings"] : undefined);
  });
});
