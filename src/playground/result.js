/** What came out, in figures. */
import { bytesText, countText, durationText, h } from "./dom.js";
import { provenanceOf } from "./provenance.js";
import { searchOf } from "./search-chart.js";

/** @import { Child, Input, Success } from "./shapes.d.ts" */

/**
 * A table of original and result.
 * @param {Success} answer
 * @param {{ milliseconds: number, timing: number | undefined }} facts
 */
export function factsOf({ input, output, analysis }, { milliseconds, timing }) {
  const saved = 1 - output.bytes / input.bytes;
  return [
    h(
      "dl",
      { class: "figures" },
      figure(saved >= 0 ? "Saved" : "Grown", `${Math.abs(saved * 100).toFixed(saved > 0.99 ? 1 : 0)} %`, "saving"),
      figure("Bytes", `${bytesText(input.bytes)} → ${bytesText(output.bytes)}`),
      output.score !== undefined && figure("Score", scoreText(output.score)),
      figure("Time", [durationText(milliseconds), timing && h("small", {}, `${durationText(timing)} in the service`)]),
    ),
    comparison(input, output),
    searchOf(output),
    provenanceOf({ input, ...(analysis && { analysis }) }),
  ];
}

/**
 * @param {string} name
 * @param {Child} value
 * @param {string} [kind]
 */
function figure(name, value, kind) {
  return h("div", { class: kind }, h("dt", {}, name), h("dd", {}, value));
}

/** @param {number} score */
function scoreText(score) {
  /** @type {[number, string][]} */
  const words = [
    [90, "no difference to be seen"],
    [70, "very good"],
    [50, "good"],
    [30, "visible loss"],
  ];
  const [, word] = words.find(([least]) => score >= least) ?? [0, "poor"];
  return `${score} · ${word}`;
}

/** @type {[string, (facts: Input | Success["output"]) => string][]} */
const ROWS = [
  ["Format", (facts) => facts.format + (facts.frames > 1 ? `, ${facts.frames} frames` : "")],
  ["Size", (facts) => `${facts.width} × ${facts.height}`],
  ["Bytes", (facts) => countText(facts.bytes)],
  ["Quality", (facts) => String(facts.quality)],
  ["Sampling", (facts) => facts.sampling],
  ["Color", (facts) => `${facts.colorspace}, ${facts.depth} bit${facts.alpha ? ", alpha" : ""}`],
];

/**
 * @param {Input} input
 * @param {Success["output"]} output
 */
function comparison(input, output) {
  return h(
    "table",
    { class: "facts" },
    h("thead", {}, h("tr", {}, h("td"), h("th", { scope: "col" }, "Original"), h("th", { scope: "col" }, "Result"))),
    h(
      "tbody",
      {},
      ROWS.map(([name, read]) =>
        h("tr", {}, h("th", { scope: "row" }, name), h("td", {}, read(input)), h("td", {}, read(output))),
      ),
    ),
  );
}
