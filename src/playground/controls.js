/**
 * Form controls of single values, made from schemas. What is left empty, or as the schema's default has it, reads as
 * undefined and is not sent.
 */
import { h } from "./dom.js";
import { choicesOf, fieldLabel, isOnByDefault, placeholderOf, suggestionsOf } from "./labels.js";

/** @import { Child, Field, Place, Schema } from "./shapes.d.ts" */

/** A number with at most so many steps is easier to drag than to type. */
const SLIDER_STEPS = 720;

/**
 * @param {string} id
 * @param {string} name
 * @param {Child[]} controls
 */
export function labeled(id, name, ...controls) {
  return h("div", { class: "field" }, h("label", { for: id }, fieldLabel(id, name)), ...controls);
}

/**
 * @param {Schema} schema
 * @param {Place} place
 * @returns {Field}
 */
export function choice(schema, { name, id }) {
  const choices = choicesOf(id, schema.enum ?? [], schema["x-default"]);
  const control = h(
    "select",
    { id },
    choices.map(([value, text]) => h("option", { value }, text)),
  );
  const set = writer(control);
  return {
    element: labeled(id, name, control),
    read: () => control.value || undefined,
    write: (value) => {
      set(value);
      // Another name of a value, which a link or a program may use.
      if (value !== undefined && value !== schema["x-default"] && control.value === "") {
        control.append(h("option", { value }, value));
        set(value);
      }
    },
  };
}

/**
 * @param {Schema} schema
 * @param {Place} place
 * @returns {Field}
 */
export function number(schema, { name, id }) {
  const { minimum, maximum, "x-default": preset, type } = schema;
  const step = type === "integer" ? 1 : "any";
  const range = minimum === undefined || maximum === undefined ? undefined : `${minimum} to ${maximum}`;
  const control = h("input", {
    id,
    type: "number",
    inputmode: minimum !== undefined && minimum < 0 ? undefined : "decimal",
    min: minimum,
    max: maximum,
    step,
    placeholder: placeholderOf(id) ?? preset ?? range,
    title: range,
  });
  const short = minimum !== undefined && maximum !== undefined && maximum - minimum <= SLIDER_STEPS;
  const slider = short && sliderOf(control, { minimum, maximum, step: type === "integer" ? 1 : undefined, preset });
  return {
    element: labeled(id, name, slider ? h("div", { class: "slider-pair" }, slider, control) : control),
    read: () => {
      const value = control.value === "" ? undefined : Number(control.value);
      return value === preset ? undefined : value;
    },
    write: (value) => {
      writer(control)(value);
      control.dispatchEvent(new Event("input", { bubbles: true }));
    },
  };
}

/**
 * For the pointer only: the number beside it is what keyboards and screen readers use.
 * @param {HTMLInputElement} control
 * @param {{ minimum: number, maximum: number, step: number | undefined, preset: Schema["x-default"] }} scale
 */
function sliderOf(control, { minimum, maximum, step = (maximum - minimum) / 100, preset }) {
  // Without a default nothing acts: the slider waits in the middle, and looks like it.
  const rest = String(preset ?? Math.round((minimum + maximum) / 2));
  const slider = h("input", { type: "range", min: minimum, max: maximum, step, tabindex: -1, "aria-hidden": "true" });
  const follow = () => {
    slider.value = control.value === "" ? rest : control.value;
    slider.classList.toggle("unset", control.value === "" && preset === undefined);
  };
  follow();
  slider.addEventListener("input", () => {
    control.value = String(Math.round(Number(slider.value) * 100) / 100);
    follow();
  });
  control.addEventListener("input", follow);
  return slider;
}

/**
 * @param {Schema} schema
 * @param {Place} place
 * @returns {Field}
 */
export function boolean(schema, { name, id }) {
  const preset = isOnByDefault(id, schema["x-default"]);
  const control = h("input", { id, type: "checkbox" });
  control.checked = preset;
  return {
    element: h("div", { class: "field check" }, control, h("label", { for: id }, fieldLabel(id, name))),
    read: () => (control.checked === preset ? undefined : control.checked),
    write: (value) => {
      control.checked = value ?? preset;
    },
  };
}

/**
 * @param {Schema} schema
 * @param {Place} place
 * @returns {Field}
 */
export function color(schema, { name, id }) {
  const control = h("input", { id, type: "text", spellcheck: "false", placeholder: schema["x-default"] ?? "RRGGBB" });
  const picker = h("input", { type: "color", "aria-label": `${fieldLabel(id, name)}, picker` });
  const follow = () => {
    const [digits] = /[\da-f]{6}/i.exec(control.value || String(schema["x-default"])) ?? ["ffffff"];
    picker.value = `#${digits.toLowerCase()}`;
  };
  follow();
  control.addEventListener("input", follow);
  picker.addEventListener("input", () => {
    control.value = picker.value.slice(1);
  });
  return {
    element: labeled(id, name, h("div", { class: "color-pair" }, picker, control)),
    read: () => control.value.trim() || undefined,
    write: (value) => {
      writer(control)(value);
      follow();
    },
  };
}

/**
 * @param {Schema} schema
 * @param {Place} place
 * @returns {Field}
 */
export function text(schema, { name, id }) {
  const secret = name === "secret" || name === "key" || name === "keyfile";
  const control = h("input", {
    id,
    type: secret ? "password" : "text",
    autocomplete: "off",
    spellcheck: "false",
    maxlength: schema.maxLength,
  });
  const suggestions = suggestionsOf(id);
  const list = suggestions.length > 0 && h("datalist", { id: `${id}-list` }, suggestions.map(optionOf));
  if (list) control.setAttribute("list", list.id);
  return { element: labeled(id, name, control, list), read: () => control.value || undefined, write: writer(control) };
}

/** @param {string} value */
function optionOf(value) {
  return h("option", { value });
}

/**
 * Names and values, one pair a line.
 * @param {Schema} _
 * @param {Place} place
 * @returns {Field}
 */
export function map(_, { name, id }) {
  const control = h("textarea", { id, rows: 2, placeholder: "Name: value", spellcheck: "false" });
  return {
    element: labeled(id, name, control),
    read: () => {
      const lines = control.value.split("\n").filter((line) => line.includes(":"));
      const pairs = lines.map((line) => [
        line.slice(0, line.indexOf(":")).trim(),
        line.slice(line.indexOf(":") + 1).trim(),
      ]);
      return pairs.length === 0 ? undefined : Object.fromEntries(pairs);
    },
    write: (value) =>
      writer(control)(
        Object.entries(value ?? {})
          .map((pair) => pair.join(": "))
          .join("\n"),
      ),
  };
}

/**
 * Rectangles, one a line: from the left, from the top, width, height.
 * @param {Schema} _
 * @param {Place} place
 * @returns {Field}
 */
export function regions(_, { name, id }) {
  const control = h("textarea", { id, rows: 2, placeholder: "left top width height", spellcheck: "false" });
  const numbersIn = (/** @type {string} */ line) =>
    line.split(/[\s,;]+/).flatMap((part) => (part ? [Number(part)] : []));
  return {
    element: labeled(id, name, control),
    read: () => {
      const lines = control.value.split("\n").filter((line) => line.trim());
      const rectangles = lines.map((line) => {
        const [x, y, width, height] = numbersIn(line);
        return { x, y, width, height };
      });
      return rectangles.length === 0 ? undefined : rectangles;
    },
    write: (/** @type {{ x: number, y: number, width: number, height: number }[] | undefined} */ value = []) => {
      control.value = value.map(({ x, y, width, height }) => [x, y, width, height].join(" ")).join("\n");
    },
  };
}

/** @param {HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement} control */
function writer(control) {
  return (/** @type {string | number | undefined} */ value) => {
    control.value = value === undefined ? "" : String(value);
  };
}
