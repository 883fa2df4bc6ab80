/** Colors and selectors of CSS by themselves. */
import { describe, expect, it } from "vitest";

import { writtenColor } from "../../../../src/image/formats/svg/colors.ts";
import { selectorsOf } from "../../../../src/image/formats/svg/selectors.ts";

describe("a color of CSS", () => {
  // As Chromium 150 shows them.
  it.each([
    ["#f008", "rgba(255,0,0,0.5333)"],
    ["hsl(120deg 100% 25%)", "rgb(0,128,0)"],
    ["hsl(0.5turn, 100%, 50%)", "rgb(0,255,255)"],
    ["hwb(120 0% 50%)", "rgb(0,128,0)"],
    ["rgb(10% 20% 30% / .5)", "rgba(26,51,77,0.5)"],
    ["rgb(none 0 255)", "rgb(0,0,255)"],
    ["lab(46.2775% -47.5621 48.5837)", "rgb(0,128,0)"],
    ["lch(46.2775% 67.9892 134.391)", "rgb(0,128,0)"],
    ["oklab(51.975% -0.1403 0.1077)", "rgb(0,128,0)"],
    ["color(display-p3 0.21604 0.49418 0.13151)", "rgb(0,128,0)"],
    ["color(srgb 0 .5 0 / 50%)", "rgba(0,128,0,0.5)"],
    ["color-mix(in srgb, red 25%, blue)", "rgb(64,0,191)"],
    ["color-mix(in oklab, white, black)", "rgb(99,99,99)"],
    ["rebeccapurple", "rgb(102,51,153)"],
    ["light-dark(green, red)", "rgb(0,128,0)"],
    ["rgb(1, 50%, 3)", undefined],
    ["bluish", undefined],
    ["rgb(1 2)", undefined],
  ])("%s is %s", (text, written) => {
    expect(writtenColor(text, "black")).toBe(written);
  });
});

describe("a selector", () => {
  it.each([
    ["#a.b c", [1, 1, 1]],
    ["a:not(#b, .c)", [1, 0, 1]],
    [":where(#b) *", [0, 0, 0]],
    [":is(a, .b):nth-child(2)", [0, 2, 0]],
  ])("%s counts %j", (text, specificity) => {
    expect(selectorsOf(text).map((selector) => selector.specificity)).toEqual([specificity]);
  });

  it.each(["a:not(", "a b]", "a..b", "[a", "a:unknown(b)", "::before, a(", ""])("is none: %s", (text) => {
    expect(selectorsOf(text)).toEqual([]);
  });
});
