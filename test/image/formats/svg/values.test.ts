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
    ["color-mix(in hsl, red, blue)", "rgb(255,0,255)"],
    ["color-mix(in hsl longer hue, red, blue)", "rgb(0,255,0)"],
    ["color-mix(in hwb decreasing hue, red, blue)", "rgb(255,0,255)"],
    ["color-mix(in hwb increasing hue, red, blue)", "rgb(0,255,0)"],
    ["color-mix(in oklch, red 30%, blue)", "rgb(136,0,236)"],
    ["color-mix(in lch, #336699, gold)", "rgb(0,182,145)"],
    ["color-mix(in lab, #336699, gold)", "rgb(168,156,109)"],
    ["color-mix(in xyz, red, blue)", "rgb(188,0,188)"],
    ["rgb(from red r 9 b)", "rgb(255,9,0)"],
    ["rgb(from #336699 calc(r * 2) g b / 50%)", "rgba(102,102,153,0.5)"],
    ["rgb(from hsl(120deg 100% 25%) g r b / 0.25)", "rgba(128,0,0,0.25)"],
    ["rgb(from currentcolor 255 g b)", "rgb(255,0,0)"],
    ["hsl(from #336699 calc(h + 180) s l)", "rgb(153,102,51)"],
    ["hwb(from #336699 h 40 b)", "rgb(102,128,153)"],
    ["lab(from #336699 calc(l + 10) a b)", "rgb(79,127,180)"],
    ["lch(from #c08040 l calc(c / 2) h)", "rgb(171,136,105)"],
    ["oklab(from #336699 l a calc(b * -1))", "rgb(103,103,23)"],
    ["oklch(from #336699 calc(l * 0.8) c h)", "rgb(20,73,122)"],
    ["color(from #336699 srgb b g r)", "rgb(153,102,51)"],
    ["color(from #336699 srgb-linear r g 0.5)", "rgb(51,102,188)"],
    ["oklch(from color-mix(in oklab, red, blue) l 0.05 h)", "rgb(122,102,131)"],
    ["rgb(from red x g b)", undefined],
    ["hsl(from red h s)", undefined],
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
    ["a:has(> #b, .c)", [1, 0, 1]],
  ])("%s counts %j", (text, specificity) => {
    expect(selectorsOf(text).map((selector) => selector.specificity)).toEqual([specificity]);
  });

  it.each(["a:not(", "a b]", "a..b", "[a", "a:unknown(b)", "a:has()", "a:has(b:has(c))", "::before, a(", ""])(
    "is none: %s",
    (text) => {
      expect(selectorsOf(text)).toEqual([]);
    },
  );
});
