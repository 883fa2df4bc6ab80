/** What a search tried, as a chart of bytes against score, and as a table. */
import { bytesText, countText, h } from "./dom.js";

/**
 * @import { Success } from "./shapes.d.ts"
 * @typedef {NonNullable<Success["output"]["search"]>} Search
 * @typedef {Search["probes"][number]} Probe
 * @typedef {Probe & { readonly bytes: number, readonly points: number }} Point `bytes` of a whole file, about where `part` is "tiles"
 */

const WIDTH = 360;
const HEIGHT = 200;
/** Room for the numbers at the axes. */
const LEFT = 34;
const BOTTOM = 34;
const TOP = 12;
const RIGHT = 14;
/** Shares of the span that are left free around the points. */
const MARGIN = 0.12;
/** Points of the score and shares of the bytes that a chart shows at least. */
const LEAST_POINTS = 10;
const LEAST_SHARE = 0.3;
/** A file has a few bytes more than its probe: its mark, and its metadata. */
const SAME_FILE = 1.02;
const SAME_FILE_BYTES = 200;
/** Formats that a chart tells apart by the form of their marks; more stand in the table. */
const FORMS = 4;

/**
 * A section about a search; undefined where nothing was searched for.
 * @param {Success["output"]} output
 */
export function searchOf(output) {
  const { search } = output;
  if (!search || search.probes.length === 0) return undefined;
  const points = pointsOf(search);
  const chosen = chosenOf(output, points);
  return h(
    "section",
    { class: "search-chart", "aria-labelledby": "search-title" },
    h("h3", { id: "search-title" }, "How it was found"),
    h("p", { class: "hint" }, summaryOf(output, search)),
    points.length > 0 && chosen && chartOf(search, points, chosen),
    tableOf(search, output),
  );
}

/**
 * Probes that have a place in the chart.
 * @param {Search} search
 * @returns {Point[]}
 */
function pointsOf({ probes }) {
  return probes.flatMap((probe) => {
    const points = probe.stricter ?? probe.score;
    const bytes = probe.part === "whole" ? probe.bytes : wholeBytes(probe, probes);
    return points === undefined || bytes === undefined ? [] : [{ ...probe, bytes, points }];
  });
}

/**
 * The bytes that the whole picture would take where it is like its tiles: as many times theirs as at the nearest quality
 * at which both were written.
 * @param {Probe} probe
 * @param {readonly Probe[]} probes
 */
function wholeBytes({ format, quality, bytes }, probes) {
  const near = (/** @type {Probe["part"]} */ part, /** @type {number} */ to) =>
    probes
      .filter((one) => one.format === format && one.part === part && one.bytes !== undefined && !one.draft)
      .toSorted((one, other) => Math.abs(one.quality - to) - Math.abs(other.quality - to))[0];
  const whole = near("whole", quality);
  const tiles = whole && near("tiles", whole.quality);
  if (!whole?.bytes || !tiles?.bytes || !bytes) return undefined;
  return Math.round((bytes * whole.bytes) / tiles.bytes);
}

/**
 * What the result is in the chart: the probe that it was, or what is said of it.
 * @param {Success["output"]} output
 * @param {readonly Point[]} points
 */
function chosenOf({ format, bytes, score }, points) {
  const isIt = (/** @type {Point} */ one) =>
    one.format === format &&
    one.part === "whole" &&
    Math.abs(one.bytes - bytes) < Math.max(SAME_FILE_BYTES, bytes * (SAME_FILE - 1));
  const probe = points.findLast((one) => isIt(one) && one.score === score) ?? points.findLast(isIt);
  if (probe) return { bytes: probe.bytes, points: probe.points };
  return score === undefined ? undefined : { bytes, points: score };
}

/**
 * @param {Success["output"]} output
 * @param {Search} search
 */
function summaryOf({ format, bytes, score }, { probes, target_score: promise, target_bytes: most, omitted = 0 }) {
  const count = probes.length + omitted;
  const tried = `${count} ${count === 1 ? "rendition" : "renditions"} tried`;
  const aim = promise === undefined ? "" : `, of which the smallest was taken that has at least ${promise} points`;
  const bound = most === undefined ? "" : `, of which the best was taken that has at most ${bytesText(most)}`;
  const points = score === undefined ? "" : `, score ${score}`;
  return `${tried}${aim}${bound}: ${format}, ${bytesText(bytes)}${points}.`;
}

/**
 * @param {Search} search
 * @param {readonly Point[]} points
 * @param {{ bytes: number, points: number }} chosen
 */
function chartOf({ target_score: promise, target_bytes: most }, points, chosen) {
  const all = [...points, chosen];
  const [least, highest] = spanOf(
    [...all.map((one) => one.points), ...(promise === undefined ? [] : [promise])],
    LEAST_POINTS,
  );
  const bytes = [...all.map((one) => one.bytes), ...(most === undefined ? [] : [most])];
  const [from, to] = spanOf(bytes, Math.max(...bytes) * LEAST_SHARE);
  const x = (/** @type {number} */ value) => LEFT + ((value - from) / (to - from)) * (WIDTH - LEFT - RIGHT);
  const y = (/** @type {number} */ value) =>
    HEIGHT - BOTTOM - ((value - least) / (highest - least)) * (HEIGHT - TOP - BOTTOM);
  const formats = [...new Set(points.map(({ format }) => format))];
  const isLeft = x(chosen.bytes) > WIDTH / 2;
  const label = `Bytes against score; the table below has the same numbers. Chosen: ${bytesText(chosen.bytes)}, ${round(chosen.points)} points.`;
  return h(
    "figure",
    { class: "search-figure" },
    svg(
      "svg",
      { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": label },
      svg("path", { class: "axis", d: `M${LEFT} ${TOP}V${HEIGHT - BOTTOM}H${WIDTH - RIGHT}` }),
      ticksOf(least, highest).map((tick) => text(String(tick), { x: LEFT - 6, y: y(tick) + 4, "text-anchor": "end" })),
      ticksOf(from, to, 3).map((tick) =>
        text(bytesText(tick), { x: x(tick), y: HEIGHT - BOTTOM + 15, "text-anchor": "middle" }),
      ),
      promise !== undefined && [
        svg("path", { class: "promise", d: `M${LEFT} ${y(promise)}H${WIDTH - RIGHT}` }),
        text(`promised: ${promise}`, {
          x: isLeft ? LEFT + 5 : WIDTH - RIGHT,
          y: y(promise) + 14,
          "text-anchor": isLeft ? "start" : "end",
        }),
      ],
      most !== undefined && svg("path", { class: "promise", d: `M${x(most)} ${TOP}V${HEIGHT - BOTTOM}` }),
      formats.map((format) =>
        lineOf(
          points.filter((one) => one.format === format),
          x,
          y,
        ),
      ),
      points.map((one) => markOf(one, formats.indexOf(one.format), x(one.bytes), y(one.points))),
      svg("circle", { class: "chosen", cx: x(chosen.bytes), cy: y(chosen.points), r: 9 }),
      text("chosen", {
        class: "chosen-text",
        x: x(chosen.bytes) + (isLeft ? -13 : 13),
        y: y(chosen.points) - 6,
        "text-anchor": isLeft ? "end" : "start",
      }),
    ),
    h("figcaption", { class: "search-legend" }, legendOf(points, formats)),
  );
}

/**
 * @param {readonly Point[]} points
 * @param {readonly string[]} formats
 */
function legendOf(points, formats) {
  const key = (/** @type {number} */ form, /** @type {string} */ kind, /** @type {string} */ said) =>
    h(
      "span",
      {},
      svg("svg", { viewBox: "0 0 14 14", width: 14, height: 14, "aria-hidden": "true" }, shapeOf(form, kind, 7, 7)),
      said,
    );
  return [
    formats.map((format, form) => key(form, "probe", format)),
    points.some(({ part }) => part === "tiles") && key(0, "probe tiles", "tiles, at the bytes of a whole like them"),
    h("span", { class: "hint" }, "across: bytes; up: score"),
  ];
}

/**
 * @param {readonly Point[]} points
 * @param {(bytes: number) => number} x
 * @param {(points: number) => number} y
 */
function lineOf(points, x, y) {
  const along = points.filter(({ draft }) => !draft).toSorted((one, other) => one.bytes - other.bytes);
  const path = along.map((one) => `${x(one.bytes).toFixed(1)} ${y(one.points).toFixed(1)}`).join("L");
  return along.length > 1 && svg("path", { class: "curve", d: `M${path}` });
}

/**
 * @param {Point} point
 * @param {number} form
 * @param {number} x
 * @param {number} y
 */
function markOf({ part, draft }, form, x, y) {
  return shapeOf(form, part === "tiles" || draft ? "probe tiles" : "probe", x, y);
}

/**
 * @param {number} form
 * @param {string} kind
 * @param {number} x
 * @param {number} y
 */
function shapeOf(form, kind, x, y) {
  switch (form % FORMS) {
    case 0:
      return svg("circle", { class: kind, cx: x, cy: y, r: 4 });
    case 1:
      return svg("rect", { class: kind, x: x - 3.5, y: y - 3.5, width: 7, height: 7 });
    case 2:
      return svg("path", { class: kind, d: `M${x} ${y - 5}l5 8.5h-10z` });
    default:
      return svg("path", { class: kind, d: `M${x} ${y - 5}l5 5l-5 5l-5 -5z` });
  }
}

/**
 * @param {Search} search
 * @param {Success["output"]} output
 */
function tableOf({ probes, target_score: promise, omitted }, { format, bytes, score }) {
  const heads = ["Format", "Part", "Quality", "Bytes", "Score"].map((name) => h("th", { scope: "col" }, name));
  const rows = probes.map((probe) =>
    h(
      "tr",
      {},
      h("th", { scope: "row" }, probe.format),
      h("td", {}, probe.draft ? `${probe.part}, draft` : probe.part),
      h("td", {}, probe.lossless ? "lossless" : round(probe.quality)),
      h("td", {}, probe.bytes === undefined ? "not written" : countText(probe.bytes)),
      h("td", {}, scoreText(probe)),
    ),
  );
  const result = h(
    "tr",
    { class: "result-row" },
    h("th", { scope: "row" }, format),
    h("td", { colspan: 2 }, "the result"),
    h("td", {}, countText(bytes)),
    h("td", {}, score === undefined ? "–" : round(score)),
  );
  return h(
    "details",
    { class: "group" },
    h("summary", {}, `The ${probes.length === 1 ? "rendition" : "renditions"} as a table`),
    h(
      "div",
      { class: "search-table", tabindex: 0, role: "region", "aria-label": "Renditions" },
      h("table", {}, h("thead", {}, h("tr", {}, heads)), h("tbody", {}, rows, result)),
    ),
    h(
      "p",
      { class: "hint" },
      promise !== undefined && `The promise is ${promise} points by both opinions. `,
      omitted !== undefined && `${omitted} more are not listed. `,
      "Bytes of tiles are those of the tiles alone.",
    ),
  );
}

/** @param {Probe} probe */
function scoreText({ score, stricter }) {
  const said = [score !== undefined && round(score), stricter !== undefined && `second opinion ${round(stricter)}`];
  return said.filter(Boolean).join(", ") || "not judged";
}

/**
 * What an axis shows: all values, with a margin, and no less than a span.
 * @param {readonly number[]} values
 * @param {number} least
 * @returns {[from: number, to: number]}
 */
function spanOf(values, least) {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const span = Math.max(high - low, least);
  const middle = (low + high) / 2;
  return [Math.max(0, middle - span * (0.5 + MARGIN)), middle + span * (0.5 + MARGIN)];
}

/**
 * Round numbers on an axis.
 * @param {number} from
 * @param {number} to
 * @param {number} most
 */
function ticksOf(from, to, most = 5) {
  const rough = (to - from) / most;
  const unit = 10 ** Math.floor(Math.log10(rough));
  const step = unit * ([1, 2, 5, 10].find((one) => unit * one >= rough) ?? 10);
  const ticks = [];
  for (let tick = Math.ceil(from / step) * step; tick <= to; tick += step) ticks.push(tick);
  return ticks;
}

/** @param {number} value */
function round(value) {
  return String(Math.round(value * 10) / 10);
}

/**
 * @param {string} content
 * @param {Record<string, string | number>} attributes
 */
function text(content, attributes) {
  const element = svg("text", attributes);
  element.textContent = content;
  return element;
}

/**
 * An element of a drawing; lists of children may be nested.
 * @param {string} tag
 * @param {Record<string, string | number>} attributes
 * @param {(SVGElement | false | (SVGElement | false)[])[]} children
 */
function svg(tag, attributes, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.append(...children.flat().filter((child) => child !== false));
  return element;
}
