/** Values that are calculated, variables, layers, media, and selectors that say nothing: as in Chromium 156. */
import { describe, expect, it } from "vitest";

import { withoutCalc } from "../../../../src/image/formats/svg/calc.ts";
import { holds } from "../../../../src/image/formats/svg/media.ts";
import { type Drawings, expectPlaces, GREEN, NOTHING, SQUARE } from "../../../support/svg-drawings.ts";

const styled = (css: string, body = SQUARE) => `<style><![CDATA[${css}]]></style>${body}`;
const rect = (css: string) => styled(`rect{fill:green;height:40px;${css}}`, "<rect/>");

const DRAWINGS: Drawings = {
  "the least of lengths": [rect("width:min(50%, 100px)"), [19, 20, GREEN], [21, 20, NOTHING]],
  "the most of lengths": [rect("width:max(2px, calc(60px / 3))"), [19, 20, GREEN], [21, 20, NOTHING]],
  "a length between two": [rect("width:clamp(10px, 90%, 20px)"), [19, 20, GREEN], [21, 20, NOTHING]],
  "a length that is rounded": [rect("width:round(up, 13px, 10px)"), [19, 20, GREEN], [21, 20, NOTHING]],
  "the sine of an angle": [rect("width:calc(40px * sin(30deg))"), [19, 20, GREEN], [21, 20, NOTHING]],
  "a product of variables": [
    rect("--u:10px;--n:2;width:calc(var(--u) * var(--n) * 1)"),
    [19, 20, GREEN],
    [21, 20, NOTHING],
  ],
  "an attribute that is calculated": [
    '<rect width="calc(25% + 10px)" height="40" fill="green"/>',
    [19, 20, GREEN],
    [21, 20, NOTHING],
  ],
  "an angle that is calculated": [
    '<rect width="40" height="20" fill="green" style="transform:rotate(calc(360deg / 2));transform-origin:20px 20px"/>',
    [20, 30, GREEN],
    [20, 10, NOTHING],
  ],
  "a variable of nothing": [styled(".c{--e:;--f: ;fill:var(--e) green var(--f)}"), [20, 20, GREEN]],
  "nothing in place of a variable": [styled(".c{fill:var(--none,) green}"), [20, 20, GREEN]],
  "a variable that is taken back": [styled("svg{--a:red}.c{--a:initial;fill:var(--a, green)}"), [20, 20, GREEN]],
  "a variable of what is around": [styled("svg{--a:green}.c{--a:inherit;fill:var(--a, red)}"), [20, 20, GREEN]],
  "a variable of another, where both are said": [
    styled("svg{--a:green;--b:var(--a)}.c{--a:red;fill:var(--b)}"),
    [20, 20, GREEN],
  ],
  "layers in the order of their names": [
    styled("@layer a,b;@layer b{.c{fill:green}}@layer a{#i{fill:red}}"),
    [20, 20, GREEN],
  ],
  "what is important in the first layer": [
    styled("@layer a{.c{fill:green!important}}@layer b{#i{fill:red!important}}#i{fill:red!important}"),
    [20, 20, GREEN],
  ],
  "a layer within a layer, behind the rules of that": [
    styled("@layer a{@layer b{#i{fill:red}}.c{fill:green}}@layer a.c{#i{fill:red}}"),
    [20, 20, GREEN],
  ],
  "two layers without a name": [styled("@layer{#i{fill:red}}@layer{.c{fill:green}}"), [20, 20, GREEN]],
  "a side that is compared": [
    styled(".c{fill:red}@media (width >= 40px) and (30px < height <= 40px){.c{fill:green}}"),
    [20, 20, GREEN],
  ],
  "a function that is known": [
    styled(".c{fill:red}@supports (color:oklch(50% .1 30)) and (x:1px){.c{fill:green}}"),
    [20, 20, GREEN],
  ],
  "a selector that is known": [
    styled(".c{fill:red}@supports selector(:has(a)) and (not selector(:bogus)){.c{fill:green}}"),
    [20, 20, GREEN],
  ],
  "a list with a selector that says nothing": [styled(".c{fill:green}.c,:bogus{fill:red}"), [20, 20, GREEN]],
  "a forgiving list with one": [styled(".c{fill:red}:is(.c,:bogus,::b){fill:green}"), [20, 20, GREEN]],
  "a list with a part of an element": [styled(".c{fill:red}.c,rect::before{fill:green}"), [20, 20, GREEN]],
  "a selector with a namespace": [
    styled("@namespace s url(http://www.w3.org/2000/svg);rect{fill:red}s|rect{fill:green}|rect{fill:red}"),
    [20, 20, GREEN],
  ],
  "a selector of a language": [
    styled(':lang("de"){fill:green}', `<g xml:lang="de-CH"><rect width="40" height="40"/></g>`),
    [20, 20, GREEN],
  ],
  "the last of those that a selector asks for": [
    styled(".c{fill:red}:nth-last-child(1 of .c){fill:green}", `${SQUARE}<path/>`),
    [20, 20, GREEN],
  ],
};

describe("a drawing", () => {
  it.each(Object.entries(DRAWINGS))("has %s", async (_name, [body, ...places]) => expectPlaces(body, places));
});

describe("a calculation", () => {
  it.each([
    ["calc(10px * pi)", "31.415927"],
    ["calc(-1 * (2px - 4px))", "2"],
    ["hypot(3px, 4px)", "5"],
    ["mod(-1px, 5px)", "4"],
    ["rem(-1px, 5px)", "-1"],
    ["abs(-2px) max(1px, 3px)", "2 3"],
    ["atan2(1, 1)", "45deg"],
    ["sqrt(pow(2, 4))", "4"],
    ["round(to-zero, -7px, 2px)", "-6"],
    ["calc(1px + )", undefined],
    ["min()", undefined],
    ["clamp(1px, 2px)", undefined],
    ["calc(1px, 2px)", undefined],
    ["constructor(1px)", "constructor(1px)"],
  ])("%s is %s", (text, value) => {
    expect(withoutCalc(text)).toBe(value);
  });
});

describe("a medium", () => {
  it.each([
    ["only screen and (orientation:landscape)", true],
    ["(min-aspect-ratio:3/2) and (max-aspect-ratio:2)", true],
    ["not (min-width:100px)", false],
    ["((max-width:10px) or (min-height:50px))", true],
    ["(min-resolution:2dppx), print", false],
    ["(hover) and (pointer:fine)", true],
    ["(monochrome)", false],
    ["(no-such-feature)", false],
  ])("%s of 100 by 50 pixels: %s", (text, does) => {
    expect(holds(`media ${text}`, { width: 100, height: 50 })).toBe(does);
  });
});
