/** What the account's keys did by day: bars to look at, a table to read. */
import { bytesText, countText, h } from "./dom.js";

/** @import { UsageList, UsageRecord } from "./shapes.d.ts" */

const DAY_MS = 86_400_000;
/** Days of the chart; the answer is about as many unless it is asked for others. */
const DAYS = 30;

/**
 * @param {UsageList} answer the newest entries of the range
 * @returns {HTMLElement[]}
 */
export function usageOf({ end, usage, total }) {
  const { requests, errors, pictures, bytes_in: before, bytes_out: after, credits, failed_ms: lost } = total;
  const saved = before > 0 ? ` (${Math.round((1 - after / before) * 100)} % saved)` : "";
  const facts = [
    `${countText(pictures)} pictures, ${bytesText(before)} to ${bytesText(after)}${saved}`,
    `${countText(requests)} requests, ${countText(errors)} of them failed${lost > 0 ? ` after ${countText(Math.ceil(lost / 1_000))} s of work` : ""}; ${countText(credits)} credits`,
  ];
  return [
    ...facts.map((text) => h("p", {}, text)),
    chartOf(usage, end),
    h("details", {}, h("summary", {}, "By day and key"), tableOf(usage)),
  ];
}

/**
 * Pictures of each day; the table says the same in words.
 * @param {readonly UsageRecord[]} usage
 * @param {string} end
 */
function chartOf(usage, end) {
  const days = Array.from({ length: DAYS }, (_, index) =>
    new Date(Date.parse(end) - (DAYS - 1 - index) * DAY_MS).toISOString().slice(0, 10),
  );
  const pictures = days.map((day) =>
    usage.filter((one) => one.day === day).reduce((sum, one) => sum + one.pictures, 0),
  );
  const most = Math.max(...pictures, 1);
  const bars = pictures.map((value, index) => {
    const bar = h("span", { title: `${days[index]}: ${countText(value)}` });
    bar.style.setProperty("--share", String(value / most));
    return bar;
  });
  return h(
    "figure",
    { class: "chart" },
    h("div", { class: "bars", role: "img", "aria-label": `At most ${countText(most)} on one day` }, bars),
    h("figcaption", { class: "hint" }, h("span", {}, days[0]), h("span", {}, "pictures a day"), h("span", {}, end)),
  );
}

const COLUMNS = ["Day", "Key", "Requests", "Errors", "Pictures", "In", "Out", "Credits"];

/** @param {readonly UsageRecord[]} usage */
function tableOf(usage) {
  const rows = usage.map((one) => {
    const cells = [
      one.key_hint === "" ? "revoked" : `${one.key_name} …${one.key_hint}`.trim(),
      ...[one.requests, one.errors, one.pictures].map(countText),
      ...[one.bytes_in, one.bytes_out].map(bytesText),
      countText(one.credits),
    ];
    return h(
      "tr",
      {},
      h("th", { scope: "row" }, one.day),
      cells.map((cell) => h("td", {}, cell)),
    );
  });
  return h(
    "div",
    { class: "wide", tabindex: "0", role: "region", "aria-label": "Usage by day and key" },
    h(
      "table",
      { class: "usage" },
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          COLUMNS.map((name) => h("th", { scope: "col" }, name)),
        ),
      ),
      h("tbody", {}, rows),
    ),
  );
}
