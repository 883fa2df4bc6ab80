/** Building and finding elements. Text is always text: nothing here takes markup. */

/** @import { Child } from "./shapes.d.ts" */
/** @typedef {string | number | boolean | null | undefined | ((event: any) => void)} Attribute */

/**
 * An element: `h("button", { type: "button", onclick: send }, "Send")`.
 * Attributes that are false, null or undefined are left out; `on…` are listeners; children may be nested lists.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, Attribute>} [attributes]
 * @param {Child[]} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...leavesOf(children));
  return element;
}

/**
 * @param {readonly Child[]} children
 * @returns {(Node | string)[]}
 */
function leavesOf(children) {
  return children.flatMap((child) => {
    if (child === null || child === undefined || child === false) return [];
    if (typeof child === "number") return [String(child)];
    return typeof child === "string" || child instanceof Node ? [child] : leavesOf(child);
  });
}

/**
 * Puts these in the place of what an element holds.
 * @param {Element} element
 * @param {Child[]} children
 */
export function fill(element, ...children) {
  element.replaceChildren(...leavesOf(children));
}

/**
 * The element with this id.
 * @template {HTMLElement} [Kind=HTMLElement]
 * @param {string} id
 * @param {new () => Kind} [kind]
 * @returns {Kind}
 */
export function byId(id, kind = /** @type {any} */ (HTMLElement)) {
  const element = document.getElementById(id);
  if (!(element instanceof kind)) throw new Error(`The page has no such #${id}`);
  return element;
}

/**
 * Text in which backticks mark code.
 * @param {string} text
 * @returns {Child}
 */
export function prose(text) {
  return text.split("`").map((part, index) => (index % 2 === 1 ? h("code", {}, part) : part));
}

/**
 * `1.2 MB`, in the decimal units that file managers show.
 * @param {number} bytes
 */
export function bytesText(bytes) {
  if (bytes < 1000) return `${bytes} B`;
  const units = ["kB", "MB", "GB"];
  let value = bytes / 1000;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${value >= 100 ? Math.round(value) : value.toPrecision(3)} ${units[unit]}`;
}

/**
 * `340 ms` or `2.1 s`.
 * @param {number} milliseconds
 */
export function durationText(milliseconds) {
  return milliseconds < 1000 ? `${Math.round(milliseconds)} ms` : `${(milliseconds / 1000).toFixed(1)} s`;
}

/**
 * `12,345`.
 * @param {number} value
 */
export function countText(value) {
  return value.toLocaleString("en");
}

/**
 * A moment as this browser writes it, and exactly.
 * @param {string} iso
 */
export function moment(iso) {
  return h("time", { datetime: iso, title: iso }, new Date(iso).toLocaleString());
}

/**
 * Puts text on the clipboard and says so on the button for a moment.
 * @param {() => string} textOf
 * @param {string} what
 * @param {string} [name] what the button says
 */
export function copyButton(textOf, what, name = "Copy") {
  const label = h("span", {}, name);
  const said = h("span", { class: "visually-hidden", role: "status" });
  const button = h("button", { type: "button", class: "quiet small", "aria-label": `${name} ${what}` }, label);
  const say = (/** @type {string} */ outcome) => {
    label.textContent = outcome;
    said.textContent = outcome;
    setTimeout(() => {
      label.textContent = name;
      said.textContent = "";
    }, 2000);
  };
  button.addEventListener("click", () => {
    navigator.clipboard.writeText(textOf()).then(
      () => say("Copied"),
      () => say("Press Ctrl+C"),
    );
  });
  return h("span", { class: "copy" }, button, said);
}
