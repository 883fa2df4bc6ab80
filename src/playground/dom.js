/** Building and finding elements. Text is always text: nothing here takes markup. */

/**
 * An element: `h("button", { type: "button", onclick: send }, "Send")`.
 * Attributes that are false, null or undefined are left out; `on…` are listeners; children may be nested lists.
 */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(
    ...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false),
  );
  return element;
}

/** The element with this id. */
export function byId(id) {
  const element = document.getElementById(id);
  if (!element) throw new Error(`The page has no #${id}`);
  return element;
}

/** Text in which backticks mark code. */
export function prose(text) {
  return text.split("`").map((part, index) => (index % 2 === 1 ? h("code", {}, part) : part));
}

/** `1.2 MB`, in the decimal units that file managers show. */
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

/** `340 ms` or `2.1 s`. */
export function durationText(milliseconds) {
  return milliseconds < 1000 ? `${Math.round(milliseconds)} ms` : `${(milliseconds / 1000).toFixed(1)} s`;
}

/** A moment as this browser writes it, and exactly. */
export function moment(iso) {
  return h("time", { datetime: iso, title: iso }, new Date(iso).toLocaleString());
}

/** Puts text on the clipboard and says so on the button for a moment. */
export function copyButton(textOf, what) {
  const label = h("span", {}, "Copy");
  const button = h("button", { type: "button", class: "quiet small", "aria-label": `Copy ${what}` }, label);
  button.addEventListener("click", async () => {
    label.textContent = await navigator.clipboard.writeText(textOf()).then(
      () => "Copied",
      () => "Press Ctrl+C",
    );
    button.setAttribute("aria-label", label.textContent === "Copied" ? `Copied ${what}` : `Copy ${what}`);
    setTimeout(() => {
      label.textContent = "Copy";
      button.setAttribute("aria-label", `Copy ${what}`);
    }, 2000);
  });
  return button;
}
