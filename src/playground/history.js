/** What this tab has made so far, to be seen again. Nothing of it outlives the tab. */
import { bytesText, h } from "./dom.js";

/** @import { Entry } from "./shapes.d.ts" */

/** Results stay in memory as long as they are listed. */
const MAX_ENTRIES = 12;

/**
 * `{ element, add(entry), mark(entry) }`
 * @param {{ onShow: (entry: Entry) => void }} ports
 */
export function createHistory({ onShow }) {
  const list = h("ol", { class: "history-list" });
  const element = h(
    "section",
    { class: "history", "aria-labelledby": "history-title", hidden: true },
    h("h2", { id: "history-title" }, "In this tab"),
    list,
  );
  /** @type {{ entry: Entry, button: HTMLButtonElement, address: string | undefined }[]} */
  let items = [];
  const mark = (/** @type {Entry} */ shown) => {
    for (const { entry, button } of items) {
      if (entry === shown) button.setAttribute("aria-current", "true");
      else button.removeAttribute("aria-current");
    }
  };
  return {
    element,
    mark,
    /** @param {Entry} entry whose result is there */
    add: (entry) => {
      if (items.some((item) => item.entry === entry)) return;
      const item = itemOf(entry, onShow);
      for (const old of items.slice(MAX_ENTRIES - 1)) if (old.address) URL.revokeObjectURL(old.address);
      items = [item, ...items].slice(0, MAX_ENTRIES);
      list.replaceChildren(...items.map(({ button }) => h("li", {}, button)));
      element.hidden = items.length < 2;
    },
  };
}

/**
 * @param {Entry} entry
 * @param {(entry: Entry) => void} onShow
 */
function itemOf(entry, onShow) {
  const { name, format, width, height, bytes } = entry.called.answer.output;
  const address = entry.result && URL.createObjectURL(entry.result);
  const text = `${format}, ${width} × ${height}, ${bytesText(bytes)}`;
  const picture = address && h("img", { src: address, alt: "", class: "history-picture" });
  const button = h(
    "button",
    { type: "button", class: "quiet small", title: name, onclick: () => onShow(entry) },
    picture || null,
    h("span", {}, text),
  );
  if (picture) picture.addEventListener("error", () => picture.remove()); // a format that this browser does not know
  return { entry, button, address };
}
