/** Reading SVG files. */
import { gzipSync } from "node:zlib";

import { describe, expect, it } from "vitest";

import { svg } from "../../../../src/image/formats/svg.ts";
import { detect } from "../../../../src/image/plan/detect.ts";
import { type TimeSlice, UNPAUSED } from "../../../../src/scheduler/time-slice.ts";
import androidRobot from "../../../fixtures/svg/Android_robot.svg";
import androidRobotCompressed from "../../../fixtures/svg/Android_robot.svgz";
import svgAnimateHref from "../../../fixtures/svg/broken/svg-animate-href.svg";
import svgBillionLaughs from "../../../fixtures/svg/broken/svg-billion-laughs.svg";
import svgBlur1e6 from "../../../fixtures/svg/broken/svg-blur-1e6.svg";
import svgCssImport from "../../../fixtures/svg/broken/svg-css-import.svg";
import svgDashTiny from "../../../fixtures/svg/broken/svg-dash-tiny.svg";
import svgDataPngBomb from "../../../fixtures/svg/broken/svg-data-png-bomb.svg";
import svgDataSvgNested from "../../../fixtures/svg/broken/svg-data-svg-nested.svg";
import svgDimsPercentNoViewbox from "../../../fixtures/svg/broken/svg-dims-percent-no-viewbox.svg";
import svgEntityFile from "../../../fixtures/svg/broken/svg-entity-file.svg";
import svgEntityHttp from "../../../fixtures/svg/broken/svg-entity-http.svg";
import svgEntityParameter from "../../../fixtures/svg/broken/svg-entity-parameter.svg";
import svgExternalDtd from "../../../fixtures/svg/broken/svg-external-dtd.svg";
import svgFontFace from "../../../fixtures/svg/broken/svg-font-face.svg";
import svgForeignobjectIframe from "../../../fixtures/svg/broken/svg-foreignobject-iframe.svg";
import svgImageFile from "../../../fixtures/svg/broken/svg-image-file.svg";
import svgImageHttp from "../../../fixtures/svg/broken/svg-image-http.svg";
import svgImageMetadataHost from "../../../fixtures/svg/broken/svg-image-metadata-host.svg";
import svgImageMsl from "../../../fixtures/svg/broken/svg-image-msl.svg";
import svgImagePath from "../../../fixtures/svg/broken/svg-image-path.svg";
import svgMorphology1e5 from "../../../fixtures/svg/broken/svg-morphology-1e5.svg";
import svgNestedUse from "../../../fixtures/svg/broken/svg-nested-use.svg";
import svgNoNamespace from "../../../fixtures/svg/broken/svg-no-namespace.svg";
import svgNotWellformed from "../../../fixtures/svg/broken/svg-not-wellformed.svg";
import svgOnload from "../../../fixtures/svg/broken/svg-onload.svg";
import svgPatternSelf from "../../../fixtures/svg/broken/svg-pattern-self.svg";
import svgScript from "../../../fixtures/svg/broken/svg-script.svg";
import svgStylesheetPi from "../../../fixtures/svg/broken/svg-stylesheet-pi.svg";
import svgTurbulenceOctaves from "../../../fixtures/svg/broken/svg-turbulence-octaves.svg";
import svgUseExternal from "../../../fixtures/svg/broken/svg-use-external.svg";
import svgUseSelf from "../../../fixtures/svg/broken/svg-use-self.svg";
import svgUtf16 from "../../../fixtures/svg/broken/svg-utf16.svg";
import svgXinclude from "../../../fixtures/svg/broken/svg-xinclude.svg";
import logoWithText from "../../../fixtures/svg/logo-with-text.svg";
import { beginnings, decodeFile, mutations, outcomeOf } from "../../../support/files.ts";
import { interleaved } from "../../../support/interleaved.ts";
import { rendered } from "../../../support/render.ts";
import { drain, type Pixels } from "../../../support/rows.ts";

const REFUSED = {
  "entities that multiply": svgBillionLaughs,
  "an enormous blur": svgBlur1e6,
  "an enormous picture inside": svgDataPngBomb,
  "a file as an entity": svgEntityFile,
  "an address as an entity": svgEntityHttp,
  "a parameter entity": svgEntityParameter,
  "an enormous morphology": svgMorphology1e5,
  "a billion elements by reuse": svgNestedUse,
  "an element that does not end": svgNotWellformed,
  "more dashes than can be drawn": svgDashTiny,
  "a million octaves": svgTurbulenceOctaves,
  "40 megabytes of blanks, compressed": gzipSync(
    `<svg xmlns="http://www.w3.org/2000/svg">${" ".repeat(40 << 20)}</svg>`,
  ),
};

const CLEANED = {
  "a link that is set later": svgAnimateHref,
  "an imported style sheet": svgCssImport,
  "a drawing inside": svgDataSvgNested,
  "a document type elsewhere": svgExternalDtd,
  "a font elsewhere": svgFontFace,
  "HTML inside": svgForeignobjectIframe,
  "a local file": svgImageFile,
  "a picture elsewhere": svgImageHttp,
  "a picture at the host": svgImageMetadataHost,
  "a picture by another scheme": svgImageMsl,
  "a picture by its path": svgImagePath,
  "a handler": svgOnload,
  "a script": svgScript,
  "a style sheet by instruction": svgStylesheetPi,
  "a piece of another document": svgUseExternal,
  "UTF-16": svgUtf16,
  "an inclusion": svgXinclude,
};

const BOUNDED = {
  "a pattern of itself": svgPatternSelf,
  "itself, used": svgUseSelf,
  "percentages of nothing": svgDimsPercentNoViewbox,
  "no namespace": svgNoNamespace,
};

function drawing(body: string, attributes = 'width="40" height="20"'): Uint8Array {
  return new TextEncoder().encode(`<svg xmlns="http://www.w3.org/2000/svg" ${attributes}>${body}</svg>`);
}

async function drawn(
  bytes: Uint8Array,
  width: number,
  height: number,
  box?: object,
  timeSlice: TimeSlice = UNPAUSED,
): Promise<Pixels> {
  const facts = svg.read.factsOf(bytes);
  const whole = { x: 0, y: 0, width: facts.width, height: facts.height };
  for await (const { rows } of svg.read.open(bytes, facts, { box: { ...whole, ...box }, width, height }, timeSlice)) {
    return await drain(rows);
  }
  throw new Error("no frame");
}

async function cleaned(bytes: Uint8Array): Promise<string> {
  return new TextDecoder().decode(await svg.recompress.run(bytes));
}

function pixel({ data, width }: Pixels, x: number, y: number): number[] {
  return [...data.subarray((y * width + x) * 4, (y * width + x) * 4 + 4)];
}

function alphas(data: Uint8Array): Uint8Array {
  return data.filter((_, at) => at % 4 === 3);
}

describe("SVG", () => {
  it.each([
    ['width="40" height="20"', 40, 20],
    ['width="1in" height="72pt"', 96, 96],
    ['viewBox="0 0 30 10"', 30, 10],
    ['viewBox="0 0 30 10" width="60"', 60, 20],
    ['viewBox="0 0 30 10" width="100%" height="100%"', 30, 10],
    ['width="NaN" height="-3"', 300, 150],
    ["", 300, 150],
  ])("has the size that %s says", (attributes, width, height) => {
    expect(svg.read.factsOf(drawing("", attributes))).toMatchObject({ width, height, alpha: true });
  });

  it("is drawn with straight alpha on nothing", async () => {
    const picture = await drawn(drawing('<rect width="50%" height="100%" fill="#f00" fill-opacity="0.5"/>'), 40, 20);
    expect(pixel(picture, 5, 5)).toEqual([255, 0, 0, 128]);
    expect(pixel(picture, 30, 5)).toEqual([0, 0, 0, 0]);
  });

  it("is drawn at the size that is wanted", async () => {
    const bytes = drawing('<rect x="10" width="1" height="20" fill="#00f"/>');
    const picture = await drawn(bytes, 4_000, 2_000);
    expect([999, 1_000, 1_099, 1_100].map((x) => pixel(picture, x, 1_500)[3])).toEqual([0, 255, 255, 0]);
    expect(pixel(await drawn(bytes, 400, 100, { x: 5, width: 10, height: 5 }), 210, 50)).toEqual([0, 0, 255, 255]);
  });

  it.each([
    ["shapes and text", '<text x="2" y="15" font-size="14">Ag</text><circle cx="30" cy="9" r="9" fill="red"/>'],
    [
      "a filter",
      '<filter id="f"><feGaussianBlur stdDeviation="3"/></filter><circle cx="20" cy="10" r="8" filter="url(#f)"/>',
    ],
  ])("shows in a region what the whole shows there: %s", async (_name, body) => {
    const whole = await drawn(drawing(body), 400, 200);
    const region = await drawn(drawing(body), 400, 70, { y: 8, height: 7 });
    const there = whole.data.subarray(80 * 400 * 4, 150 * 400 * 4);
    const differences = [...alphas(region.data)]
      .map((value, at) => Math.abs(value - (there[at * 4 + 3] ?? 0)))
      .filter((difference) => difference > 0);
    // Curves are cut off at the edges of what is drawn, and rounded anew to quarters of a row.
    expect(Math.max(0, ...differences)).toBeLessThanOrEqual(64);
    expect(differences.length).toBeLessThan(there.length / 1_000);
  });

  it("has letters, gradients and styles", async () => {
    const text = (await drawn(drawing('<text x="2" y="16" font-size="16" font-family="Nothing">M</text>'), 40, 20))
      .data;
    expect(text.filter((value, at) => at % 4 === 3 && value > 128).length).toBeGreaterThan(20);
    const gradient =
      '<style>.a { fill: url(#g) }</style><linearGradient id="g"><stop stop-color="#000"/>' +
      '<stop offset="1" stop-color="#fff"/></linearGradient><rect class="a" width="40" height="20"/>';
    const row = await drawn(drawing(gradient), 40, 20);
    const [left = 0, right = 0] = [5, 35].map((x) => pixel(row, x, 10)[0]);
    expect(right - left).toBeGreaterThan(150);
  });

  it.each(Object.entries(REFUSED))("is refused with %s", async (_name, file) => {
    expect(await outcomeOf(svg, new Uint8Array(file))).toBe(422);
  });

  it.each(Object.entries(CLEANED))("is drawn and handed on without %s", async (_name, file) => {
    const bytes = new Uint8Array(file);
    const text = await cleaned(bytes);
    const rest = text.replaceAll("http://www.w3.org/2000/svg", "").replaceAll("http://www.w3.org/1999/xlink", "");
    expect(rest).not.toMatch(
      /script|https?:|file:|\son\w+=|foreignObject|DOCTYPE|@import|<\?|include|data:image\/svg/i,
    );
    expect((await decodeFile(svg, new TextEncoder().encode(text))).data).toEqual((await decodeFile(svg, bytes)).data);
  });

  it.each(Object.entries(BOUNDED))("is drawn in bounded time with %s", async (_name, file) => {
    expect(await outcomeOf(svg, new Uint8Array(file))).toBe("decoded");
  });

  it.each([
    ["escapes", '<style>@\\69mport "http://a/"; rect { fill: u\\72l(http://a/) }</style>'],
    ["a reference in a style", "<rect style=\"fill: url( 'http://a/#b' )\"/>"],
    ["a reference in an attribute", '<rect filter="url(http://a/#b)"/>'],
    ["a link with blanks", '<a href=" java&#10;script:alert(1)"><rect/></a>'],
    ["another prefix", '<g xmlns:x="http://www.w3.org/1999/xlink"><image x:href="http://a/"/></g>'],
    ["scripts under another prefix", '<s:script xmlns:s="http://www.w3.org/2000/svg">alert(1)</s:script>'],
    ["HTML under another namespace", '<g><script xmlns="http://www.w3.org/1999/xhtml">alert(1)</script></g>'],
  ])("hides nothing behind %s", async (_name, body) => {
    const text = await cleaned(drawing(body));
    expect(text.replace(/ xmlns(:xlink)?="[^"]*"/g, "")).not.toMatch(/http|alert|script/);
  });

  it("keeps what is drawn when it is cleaned", async () => {
    for (const file of [androidRobot, logoWithText]) {
      const bytes = new Uint8Array(file);
      const text = await cleaned(bytes);
      expect(text.length).toBeLessThan(bytes.length);
      expect((await decodeFile(svg, new TextEncoder().encode(text))).data).toEqual((await decodeFile(svg, bytes)).data);
    }
  });

  it("stays SVG unless pixels are asked for", async () => {
    const bytes = drawing('<script>alert(1)</script><rect width="9" height="9"/>');
    const same = (await rendered(bytes)).output;
    expect(same.format.label).toBe("SVG");
    expect(new TextDecoder().decode(same.bytes)).not.toMatch(/alert/);
    const large = await rendered(bytes, { operations: { flip: { horizontal: true } } });
    expect(large.output.format.label).toBe("PNG");
  });

  it("is the same when it is compressed", async () => {
    const plain = new Uint8Array(androidRobot);
    const bytes = new Uint8Array(androidRobotCompressed);
    expect(detect(bytes)).toBe("svg");
    expect(svg.read.factsOf(bytes)).toEqual(svg.read.factsOf(plain));
    expect(await decodeFile(svg, bytes)).toEqual(await decodeFile(svg, plain));
    expect(svg.recompress.estimate(bytes)).toEqual(svg.recompress.estimate(plain));
    const { output } = await rendered(bytes);
    expect(new TextDecoder().decode(output.bytes)).toBe(await cleaned(plain));
  });

  it("is the same when drawings take turns", async () => {
    const robot = (timeSlice: TimeSlice) => drawn(new Uint8Array(androidRobot), 1_300, 1_500, {}, timeSlice);
    const logo = (timeSlice: TimeSlice) => drawn(new Uint8Array(logoWithText), 900, 300, {}, timeSlice);
    const jobs = [robot, logo, robot];
    const apart: Pixels[] = [];
    for (const job of jobs) apart.push(await job(UNPAUSED));
    expect(await interleaved(jobs)).toEqual(apart);
  });

  it("is nothing else that is compressed", () => {
    expect(detect(new Uint8Array(gzipSync("a letter <svg/>")))).toBeNull();
    expect(detect(Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 7, 7, 7, 7))).toBeNull();
  });

  it("is refused or drawn, compressed, wherever it ends and whatever its bytes are", async () => {
    const bytes = new Uint8Array(androidRobotCompressed);
    for (const part of beginnings(bytes, 20)) expect(await outcomeOf(svg, part)).toBe(422);
    for (const mutated of mutations(bytes, 150)) await outcomeOf(svg, mutated);
  });

  it("is refused wherever it ends, and refused or drawn whatever its bytes are", async () => {
    for (const part of beginnings(new Uint8Array(androidRobot), 20)) expect(await outcomeOf(svg, part)).toBe(422);
    for (const mutated of mutations(new Uint8Array(androidRobot), 150)) await outcomeOf(svg, mutated);
  });
});
