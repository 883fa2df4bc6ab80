/** One dial for how good the picture is to look, and what that takes: score, look and bytes as it turns. */
import { bytesText, countText, h } from "./dom.js";

/** @import { Success, UploadBody } from "./shapes.d.ts" */
/** @typedef {NonNullable<NonNullable<UploadBody["optimize"]>["compression"]>} Preset */

/** From the smallest file to the most exact one. */
const STOPS = /** @type {const} */ ([
  { preset: "ultra", says: "Loss can be seen" },
  { preset: "high", says: "Looks nearly the same" },
  { preset: "medium", says: "Looks the same" },
  { preset: "low", says: "The same on a second look" },
  { preset: "lossless", says: "Exact" },
]);
/** What a request asks for that names nothing. */
const DEFAULT = "medium";
/** What the words of `output.looks` say. */
const LOOKS = { same: "looks the same", nearly: "looks nearly the same", visible: "loss can be seen" };

/**
 * `{ element, show(answer, preview), write(optimize), clear() }`
 * @param {{ onTurn: (preset: Preset | undefined) => void }} ports told the preset, undefined for that of requests which name none
 */
export function createDial({ onTurn }) {
  const range = h("input", { id: "dial", type: "range", min: 0, max: STOPS.length - 1, step: 1 });
  const aim = h("span", { class: "aim" });
  const said = h("output", { for: "dial", class: "reading" });
  const element = h("div", { class: "dial", hidden: true }, h("label", { for: "dial" }, "Quality"), range, aim, said);
  const stop = () => STOPS[Number(range.value)] ?? STOPS[2];
  const tell = (/** @type {string} */ text) => {
    aim.textContent = text;
    range.setAttribute("aria-valuetext", text);
  };
  const write = (
    /** @type {UploadBody["optimize"]} */ { compression, lossless, quality, target_bytes: bytes } = {},
  ) => {
    const preset = lossless ? "lossless" : (compression ?? DEFAULT);
    range.value = String(
      Math.max(
        0,
        STOPS.findIndex((one) => one.preset === preset),
      ),
    );
    if (quality !== undefined) tell(`Quality ${quality}, as the form says`);
    else tell(bytes === undefined ? stop().says : `${bytesText(bytes)}, as the form says`);
  };
  write();
  range.addEventListener("input", () => {
    const { preset, says } = stop();
    tell(says);
    onTurn(preset === DEFAULT ? undefined : preset);
  });
  return {
    element,
    write,
    clear: () => {
      element.hidden = true;
    },
    /**
     * @param {Success} answer
     * @param {{ scale: number, side: number, bytes: number | undefined }} seen by how much smaller than the result the picture
     * on show is, its longer side, and about how many bytes the result will have where that is known
     */
    show: ({ output }, { scale, side, bytes }) => {
      const parts = [
        output.format,
        `quality ${output.quality}`,
        output.score !== undefined && `score ${Math.round(output.score)}`,
        output.looks && LOOKS[output.looks],
        bytesText(output.bytes) + (scale < 1 ? ` at ${countText(side)} px` : ""),
        scale < 1 && bytes !== undefined && `about ${bytesText(bytes)} in full`,
      ];
      said.textContent = parts.filter((part) => part !== false && part !== undefined).join(" · ");
      element.hidden = false;
    },
  };
}
