/** What is taken along, always shown: the file with its format and bytes, and the program that makes it. */
import { bytesText, fill, h } from "./dom.js";

/** @import { Success } from "./shapes.d.ts" */

/**
 * `{ element, show(answer, file), clear() }`
 * @param {{ copy: HTMLElement, onMake: () => void }} parts what copies the program, and what has a file made of the original
 */
export function createTakeaway({ copy, onMake }) {
  const said = h("strong", {});
  const way = h("span", { class: "way" });
  const element = h(
    "div",
    { class: "take", role: "group", "aria-label": "Take it along", hidden: true },
    said,
    way,
    copy,
  );
  return {
    element,
    clear: () => {
      element.hidden = true;
    },
    /**
     * @param {Success} answer
     * @param {{ bytes: number | undefined, isExact: boolean, isFinal: boolean, blobUrl: string | undefined }} file its bytes, or
     * about how many it will have; undefined where nobody knows yet
     */
    show: ({ output }, { bytes, isExact, isFinal, blobUrl }) => {
      const size = bytes === undefined ? "preview" : `${isExact ? "" : "about "}${bytesText(bytes)}`;
      said.textContent = `${output.format} · ${size.replace(/ (?=\S+$)/, "\u00a0")}`;
      if (!isFinal) fill(way, h("button", { type: "button", class: "primary", onclick: onMake }, "Make the file"));
      else if (blobUrl) {
        const name = `Download ${output.name}`;
        const address = { href: blobUrl, download: output.name, title: name, "aria-label": name };
        fill(way, h("a", { class: "button primary", ...address }, "Download"));
      } else fill(way, h("a", { class: "button", href: output.url, rel: "noreferrer" }, "Open where it was stored"));
      element.hidden = false;
    },
  };
}
