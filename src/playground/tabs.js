/** Programs behind tabs, as the ARIA practices describe tabs: arrows move, the panel follows. */
import { copyButton, h } from "./dom.js";

/**
 * `{ element, show([[label, text]]), text() }`; the chosen tab stays chosen when the texts change.
 * @param {string} label
 */
export function createTabs(label) {
  const list = h("div", { role: "tablist", "aria-label": label, class: "tablist" });
  const pre = h("pre", { id: "program", role: "tabpanel", tabindex: "0" });
  /** @type {(readonly [string, string])[]} */
  let entries = [];
  let chosen = 0;
  const textOf = () => entries[chosen]?.[1] ?? "";
  const choose = (/** @type {number} */ index, /** @type {boolean} */ focus) => {
    chosen = (index + entries.length) % entries.length;
    for (const [at, tab] of list.querySelectorAll("button").entries()) {
      tab.setAttribute("aria-selected", String(at === chosen));
      tab.tabIndex = at === chosen ? 0 : -1;
      if (at === chosen && focus) tab.focus();
    }
    pre.textContent = textOf();
    pre.setAttribute("aria-labelledby", `tab-${chosen}`);
  };
  list.addEventListener("keydown", ({ key }) => {
    if (key === "ArrowRight" || key === "ArrowLeft") choose(chosen + (key === "ArrowRight" ? 1 : -1), true);
    if (key === "Home" || key === "End") choose(key === "Home" ? 0 : -1, true);
  });
  const show = (/** @type {(readonly [string, string])[]} */ next) => {
    if (next.length !== entries.length) {
      const tabs = next.map(([name], index) =>
        h(
          "button",
          {
            type: "button",
            role: "tab",
            id: `tab-${index}`,
            "aria-controls": pre.id,
            onclick: () => choose(index, false),
          },
          name,
        ),
      );
      list.replaceChildren(...tabs);
    }
    entries = next;
    choose(chosen, false);
  };
  const element = h(
    "div",
    { class: "code" },
    h("div", { class: "code-head" }, list, copyButton(textOf, "the program")),
    pre,
  );
  return { element, show, text: textOf };
}
