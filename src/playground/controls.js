/**
 * Form controls of single values, made from schemas. What is left empty, or as the schema's default has it, reads as
 * undefined and is not sent.
 */
import { h } from "./dom.js";
import { labelOf } from "./schema.js";

/** @import { Child, Field, Place, Schema } from "./shapes.d.ts" */

/** A number with at most so many steps is easier to drag than to type. */
const SLIDER_STEPS = 720;

/**
 * @param {string} id
 * @param {string} name
 * @param {Child[]} controls
 */
export function labeled(id, name, ...controls) {
  return h("div", { class: "field" }, h("label", { for: id }, labelOf(name)), ...controls);
}

/**
 * @param {Schema} schema
 * @param {Place} place
 * @returns {Field}
 */
export function choice(schema, { name, id }) {
  const preset = schema["x-default"];
  const unset = preset === undefined ? "–" : `${preset} (default)`;
  const values = (schema.enum ?? []).filter((value) => value !== preset);
  const control = h(
    "select",
    { id },
    h("option", { value: "" }, unset),
    values.map((value) => h("option", { value }, value)),
  );
  return { element: labeled(id, name, control), read: () => control.value || undefined, write: writer(control) };
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
    placeholder: preset ?? range,
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
  const rest = String(preset ?? minimum);
  const slider = h("input", { type: "range", min: minimum, max: maximum, step, tabindex: -1, "aria-hidden": "true" });
  slider.value = rest;
  slider.addEventListener("input", () => {
    control.value = String(Math.round(Number(slider.value) * 100) / 100);
  });
  control.addEventListener("input", () => {
    slider.value = control.value === "" ? rest : control.value;
  });
  return slider;
}

/**
 * @param {Schema} schema
 * @param {Place} place
 * @returns {Field}
 */
export function boolean(schema, { name, id }) {
  const preset = schema["x-default"] === true;
  const control = h("input", { id, type: "checkbox" });
  control.checked = preset;
  return {
    element: h("div", { class: "field check" }, control, h("label", { for: id }, labelOf(name))),
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
  const picker = h("input", { type: "color", "aria-label": `${labelOf(name)}, picker` });
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
  return { element: labeled(id, name, control), read: () => control.value || undefined, write: writer(control) };
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

/** @param {HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement} control */
function writer(control) {
  return (/** @type {string | number | undefined} */ value) => {
    control.value = value === undefined ? "" : String(value);
  };
}
