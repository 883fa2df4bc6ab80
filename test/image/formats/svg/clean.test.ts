/** What is left of a drawing: everything that draws, and nothing that runs or loads. */
import { describe, expect, it } from "vitest";

import { cleanSvg } from "../../../../src/image/formats/svg/clean.ts";
import { ParsedSvg, wholeView } from "../../../../src/image/formats/svg/resvg.ts";
import { sizeOf } from "../../../../src/image/formats/svg/size.ts";
import { writtenSvg } from "../../../../src/image/formats/svg/tree.ts";
import { UNPAUSED } from "../../../../src/scheduler/time-slice.ts";
import { Fuel } from "../../../../wasm/fuel/fuel.ts";
import barChart from "../../../fixtures/svg/drawings/barChart.svg";
import batikLogo from "../../../fixtures/svg/drawings/batikLogo.svg";
import clippingWithComplexText from "../../../fixtures/svg/drawings/clipping-with-complex-text-1.svg";
import complex from "../../../fixtures/svg/drawings/complex.svg";
import embeddedJpeg from "../../../fixtures/svg/drawings/embedded-jpeg-as-image-jpeg.svg";
import nestedBoundingBox from "../../../fixtures/svg/drawings/nested-objectBoundingBox.svg";
import ruleSpecificity from "../../../fixtures/svg/drawings/rule-specificity.svg";
import styleInsideCdata from "../../../fixtures/svg/drawings/style-inside-CDATA.svg";
import systemLanguage from "../../../fixtures/svg/drawings/systemLanguage.svg";
import withImage from "../../../fixtures/svg/drawings/with-image.svg";
import withRegion from "../../../fixtures/svg/drawings/with-region-and-subregion.svg";
import { HOSTILE } from "../../../support/hostile-svg.ts";

const DRAWN = {
  "a chart": barChart,
  "a logo with filters": batikLogo,
  "text that clips": clippingWithComplexText,
  "text on a path": complex,
  "a JPEG picture": embeddedJpeg,
  "a pattern of gradients": nestedBoundingBox,
  "rules with combinators": ruleSpecificity,
  "a style sheet in CDATA": styleInsideCdata,
  "a choice by language": systemLanguage,
  "a mask of a picture": withImage,
  "a filter with regions": withRegion,
};

const clean = (text: string | Uint8Array) =>
  writtenSvg(cleanSvg(typeof text === "string" ? new TextEncoder().encode(text) : text).root);

/** What becomes of elements in a drawing. */
function cleanBody(body: string): string {
  const text = clean(
    `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">${body}</svg>`,
  );
  return text.replace(/^<svg [^>]*>|<\/svg>$/g, "");
}

async function drawn(text: string): Promise<Uint8Array> {
  const size = sizeOf(cleanSvg(new TextEncoder().encode(text)).root);
  const document = new ParsedSvg(text, { timeSlice: UNPAUSED, fuel: new Fuel(2_000) }, wholeView(size));
  try {
    return await document.draw(0, size.height);
  } finally {
    document.close();
  }
}

const ELEMENT = /<\/?([^\s/>]+)/g;
const ATTRIBUTE = /\s([^\s="]+)="/g;

describe("a cleaned SVG", () => {
  it.each(Object.entries(HOSTILE))("has no name of HTML, no handler and no address: %s", (_name, text) => {
    const result = clean(text);
    const rest = result.replace(/ xmlns(?::xlink)?="[^"]*"/g, "").replaceAll(/>[^<]*</g, "><");
    const elements = [...rest.matchAll(ELEMENT)].map(([, name]) => name);
    const attributes = [...rest.matchAll(ATTRIBUTE)].map(([, name]) => name);
    expect(elements.join(" ")).not.toMatch(/script|foreign|iframe|embed|object|img|html|:/i);
    expect(attributes.filter((name) => /^on|^src|:on/i.test(name ?? ""))).toEqual([]);
    expect(rest).not.toMatch(/javascript|elsewhere|import|data:image\/svg/i);
    // Parsed again it is the same: nothing was half understood.
    expect(clean(result)).toBe(result);
  });

  it.each([
    ["small letters and capitals", "<RECT/><lineargradient/><rect WIDTH='9' width='1'/>", '<rect width="1"/>'],
    ["unknown elements with all they hold", "<blink><rect/></blink><g/>", "<g/>"],
    ["elements in titles", "<title>a<b>c</b></title>", "<title>ac</title>"],
    ["letters that mean something", "<text x='\"'>&lt;&amp;&gt;</text>", '<text x="&quot;">&lt;&amp;&gt;</text>'],
    [
      "animations",
      '<animate attributeName="opacity" values="0;1" dur="2s"/>',
      '<animate attributeName="opacity" values="0;1" dur="2s"/>',
    ],
    ["a transform", '<g transform="skewX(5)rotate(1-2 .5)"/>', '<g transform="skewX(5)rotate(1-2 .5)"/>'],
    ["a paint with a fallback", '<g fill="url(http://a/) red"/>', '<g fill="red"/>'],
    ["a paint without", '<g fill="url(http://a/)"/>', '<g fill="none"/>'],
    [
      "the same link twice",
      '<g xmlns:y="http://www.w3.org/1999/xlink"><use xlink:href="#a" y:href="#b"/></g>',
      '<g><use xlink:href="#b"/></g>',
    ],
    [
      "a property of its own",
      '<g style="--a:url(http://a/) #fff;fill:var(--a)"/>',
      '<g style="--a:#fff;fill:var(--a)"/>',
    ],
    ["a place on the page", '<g style="position:fixed;inset:0;fill:red"/>', '<g style="fill:red"/>'],
  ])("keeps what draws, as it is written: %s", (_name, body, expected) => {
    expect(cleanBody(body)).toBe(expected);
  });

  it.each(Object.entries(DRAWN))("is drawn as the original is: %s", async (_name, file) => {
    const original = new TextDecoder().decode(file);
    expect(await drawn(clean(original))).toEqual(await drawn(original));
  });
});
