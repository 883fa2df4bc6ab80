/** The setting of a srcset: widths as a list of numbers, and the formats to make them in. */
import { labeled } from "./controls.js";
import { h } from "./dom.js";
import { SOURCE_FORMATS } from "./format-lists.js";
import { fieldLabel } from "./labels.js";

/** @import { Field } from "./shapes.d.ts" */

const ID = "op-srcset";

/**
 * Reads as undefined as long as it names no width.
 * @returns {Field}
 */
export function srcsetField() {
  const widths = h("input", {
    id: `${ID}-widths`,
    placeholder: "320, 640, 1280",
    autocomplete: "off",
    inputmode: "text",
  });
  const sizes = h("input", { id: `${ID}-sizes`, placeholder: "100vw", autocomplete: "off", spellcheck: "false" });
  const boxes = SOURCE_FORMATS.map(({ name }) => h("input", { type: "checkbox", id: `${ID}-${name}`, value: name }));
  const count = h("span", { class: "count" });
  const element = h(
    "details",
    { class: "group", id: ID },
    h("summary", {}, h("span", {}, fieldLabel(ID, "srcset")), count),
    h(
      "div",
      { class: "group-body" },
      h("p", { class: "hint" }, "All widths and formats of a page in one request. Each file costs a credit."),
      labeled(widths.id, "widths", widths),
      labeled(sizes.id, "sizes", sizes),
      h(
        "fieldset",
        { class: "checks" },
        h("legend", {}, "Formats"),
        boxes.map((box) => h("label", {}, box, ` ${box.value}`)),
      ),
    ),
  );
  const read = () => {
    const numbers = widths.value.match(/\d+/g)?.map(Number);
    if (!numbers) return undefined;
    const formats = boxes.filter(({ checked }) => checked).map(({ value }) => value);
    const page = sizes.value.trim();
    return { widths: numbers, ...(formats.length > 0 && { formats }), ...(page && { sizes: page }) };
  };
  const recount = () => {
    const set = Object.keys(read() ?? {}).length;
    count.textContent = set === 0 ? "" : `${set} set`;
  };
  element.addEventListener("input", recount);
  return {
    element,
    read,
    write: (value) => {
      widths.value = value?.widths?.join(", ") ?? "";
      sizes.value = value?.sizes ?? "";
      for (const box of boxes) box.checked = value?.formats?.includes(box.value) ?? false;
      recount();
      if (value !== undefined) element.setAttribute("open", "");
    },
  };
}
