/** Estimates of drawings: what they declare is what the renderer holds, and follows the size of the picture. */
import { beforeEach, describe, expect, it } from "vitest";

import { svg } from "../../../../src/image/formats/svg.ts";
import { UNPAUSED } from "../../../../src/scheduler/time-slice.ts";
import { nativeStatistics, trimNative } from "../../../../wasm/load.ts";
import androidRobot from "../../../fixtures/svg/Android_robot.svg";
import { seeded } from "../../../support/costly-svg.ts";

const MIB = 1 << 20;
const drawing = (body: string) =>
  new TextEncoder().encode(`<svg xmlns="http://www.w3.org/2000/svg" width="400" height="300">${body}</svg>`);
const WHOLE = '<rect width="400" height="300"/>';
const random = seeded(11);
const places = (count: number) => Array.from({ length: count }, () => `${random(400)} ${random(300)}`);

const DRAWINGS: Readonly<Record<string, Uint8Array>> = {
  "a rectangle": drawing(WHOLE),
  text: drawing('<text x="9" y="90" font-size="60">Hello</text>'),
  "the robot": new Uint8Array(androidRobot),
  "layers in layers": drawing(`${'<g opacity=".9">'.repeat(6)}${WHOLE}${"</g>".repeat(6)}`),
  "a mask of a mask": drawing(
    `<mask id="m">${WHOLE}</mask><mask id="n" mask="url(#m)">${WHOLE}</mask><g mask="url(#n)">${WHOLE}</g>`,
  ),
  "a path that cuts off": drawing(
    `<clipPath id="c"><circle cx="200" cy="150" r="150"/></clipPath><g clip-path="url(#c)">${WHOLE}</g>`,
  ),
  "a shadow": drawing(
    `<filter id="f"><feGaussianBlur in="SourceAlpha" stdDeviation="5"/><feOffset dx="3"/><feFlood/><feComposite in2="SourceAlpha" operator="in"/><feMerge><feMergeNode/><feMergeNode in="SourceGraphic"/></feMerge></filter><g filter="url(#f)">${WHOLE}</g>`,
  ),
  "a filter over more than the picture": drawing(
    `<filter id="f" x="-100%" y="-100%" width="300%" height="300%"><feGaussianBlur stdDeviation="9"/></filter><g filter="url(#f)">${WHOLE}</g>`,
  ),
  "filters as functions": drawing(`<g style="filter:blur(4px) drop-shadow(2px 2px 3px red)">${WHOLE}</g>`),
  "a small pattern": drawing(
    '<pattern id="p" width="20" height="20" patternUnits="userSpaceOnUse"><circle r="9"/></pattern><rect width="400" height="300" fill="url(#p)"/>',
  ),
  "a pattern as large as the picture": drawing(
    '<pattern id="p" width="1" height="1"><circle cx="99" cy="99" r="90"/></pattern><rect width="400" height="300" fill="url(#p)"/>',
  ),
  "thousands of paths": drawing(
    places(5_000)
      .map((place) => `<path d="M${place}l9 9h20z"/>`)
      .join(""),
  ),
  "a long line": drawing(`<path fill="none" stroke="red" d="M${places(5_000).join("L")}"/>`),
};

const SIZES = [
  [96, 72],
  [400, 300],
  [2_000, 1_500],
] as const;

beforeEach(() => trimNative(0));

describe("the estimate of a drawing", () => {
  it.each(
    Object.entries(DRAWINGS).flatMap(([name, bytes]) =>
      SIZES.map(([width, height]) => ({ name, bytes, width, height })),
    ),
  )("of $width pixels is no less than what it holds: $name", async ({ bytes, width, height }) => {
    const facts = svg.read.factsOf(bytes);
    const demand = { box: { x: 0, y: 0, width: facts.width, height: facts.height }, width, height };
    const before = held();
    for await (const { rows } of svg.read.open(bytes, facts, demand, UNPAUSED)) {
      while (await rows.read(64));
      rows.close();
    }
    expect(held() - before).toBeGreaterThan(0);
    expect(held() - before).toBeLessThanOrEqual(svg.read.estimate(facts, demand).bytes);
  });

  it("is a few megabytes for a small one", () => {
    const facts = svg.read.factsOf(drawing(WHOLE));
    const demand = { box: { x: 0, y: 0, width: 400, height: 300 }, width: 96, height: 72 };
    expect(svg.read.estimate(facts, demand).bytes).toBeLessThan(4 * MIB);
    const large = { ...demand, width: 4_000, height: 3_000 };
    expect(svg.read.estimate(facts, large).bytes).toBeLessThan(12 * MIB);
  });
});

function held(): number {
  return nativeStatistics().find(({ name }) => name === "resvg")?.memoryBytes ?? 0;
}
