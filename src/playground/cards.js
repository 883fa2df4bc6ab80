/** Cards with rows and buttons, and the line in which a view says how its work went. */
import { fill, h } from "./dom.js";
import { Refusal } from "./request.js";

/**
 * @import { Child } from "./shapes.d.ts"
 * @typedef {(work: () => Promise<void>, done?: string) => Promise<void>} Guarded runs something and says how it went
 */

/**
 * `{ guarded, parts }`; the parts belong to the top of the view.
 * @returns {{ guarded: Guarded, parts: HTMLElement[] }}
 */
export function createGuard() {
  const message = h("div", { class: "error", role: "alert", hidden: true });
  const said = h("p", { class: "visually-hidden", role: "status", "aria-live": "polite" });
  /** @type {Guarded} */
  const guarded = async (work, done) => {
    message.hidden = true;
    try {
      await work();
      if (done) said.textContent = done;
    } catch (error) {
      const status = error instanceof Refusal && error.status;
      const words = error instanceof Error ? error.message : String(error);
      message.hidden = false;
      fill(message, h("strong", {}, status || "Failed"), h("span", {}, words));
      message.scrollIntoView({ block: "nearest" });
    }
  };
  return { guarded, parts: [message, said] };
}

/**
 * Replaces what a list of cards holds; the focus stays on the card that had it.
 * @param {HTMLElement} cards
 * @param {() => Promise<void>} replace
 */
export async function refreshing(cards, replace) {
  const active = document.activeElement;
  const focused = cards.contains(active) ? active?.closest(".card")?.getAttribute("aria-labelledby") : undefined;
  cards.inert = true; // what is about to be replaced cannot be used any more
  try {
    await replace();
  } finally {
    cards.inert = false;
  }
  if (focused) document.getElementById(focused)?.focus();
}

/**
 * @param {string} name
 * @param {Child} title
 * @param {Child} content
 */
export function section(name, title, content) {
  const id = `card-${name.toLowerCase()}`;
  return h("section", { class: "panel card", "aria-labelledby": id }, h("h2", { id, tabindex: -1 }, title), content);
}

/**
 * @param {string} title
 * @param {readonly HTMLElement[]} rows
 * @param {Child} empty
 * @param {Child[]} more
 */
export function card(title, rows, empty, ...more) {
  const list = rows.length > 0 ? h("ul", { class: "rows" }, rows) : h("p", { class: "hint" }, empty);
  return section(title, title, [list, more]);
}

/**
 * @param {Child} about
 * @param {Child} actions
 */
export function row(about, actions) {
  return h("li", {}, h("div", {}, about), h("div", { class: "row-actions" }, actions));
}

/**
 * A control with its label, in a form.
 * @param {string} label
 * @param {HTMLElement} control
 */
export function labeled(label, control) {
  return h("div", { class: "field" }, h("label", { for: control.id }, label), control);
}

/**
 * An entry of a list of figures.
 * @param {string} title
 * @param {string} value
 * @param {string} [note]
 */
export function figure(title, value, note) {
  return h("div", {}, h("dt", {}, title), h("dd", {}, value, note && h("small", {}, note)));
}

/**
 * @param {string} text
 * @param {string} label for whoever does not see what it belongs to
 * @param {() => void} onclick
 */
export function smallButton(text, label, onclick) {
  return h("button", { type: "button", class: "quiet small", "aria-label": label, onclick }, text);
}

/**
 * Asks again on the same button, before something that cannot be undone.
 * @param {string} text
 * @param {string} label for whoever does not see what it belongs to
 * @param {() => Promise<void>} work
 */
export function sureButton(text, label, work) {
  let sure = false;
  const ask = (/** @type {boolean} */ asked) => {
    sure = asked;
    button.textContent = asked ? "Really?" : text;
    button.setAttribute("aria-label", asked ? `Really? ${label}` : label);
  };
  const button = smallButton(text, label, () => {
    if (!sure) return ask(true);
    ask(false);
    void work();
  });
  button.addEventListener("blur", () => ask(false));
  return button;
}
