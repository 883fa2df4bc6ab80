/**
 * Form controls made from schemas. A field is `{ element, read(), write(value) }`; what is left empty, or as the schema's
 * default has it, reads as undefined and is not sent.
 */
import { h, prose } from "./dom.js";
import { kindOf, labelOf, resolve } from "./schema.js";

/** @import { ApiDocument, Child, Field, Place, Schema, Setting } from "./shapes.d.ts" */

/** A number with at most so many steps is easier to drag than to type. */
const SLIDER_STEPS = 720;

/** @type {Readonly<Record<string, (schema: Schema, place: Place) => Field>>} */
const MAKERS = { choice, number, boolean, color, text, group, variants, map };

/**
 * The field of one schema; undefined where there is nothing to choose.
 * @param {ApiDocument} root
 * @param {Schema | undefined} node
 * @param {{ name: string, id: string }} place
 */
export function fieldOf(root, node, { name, id }) {
  const schema = resolve(root, node);
  return schema && MAKERS[kindOf(schema)]?.(schema, { root, name, id });
}

/**
 * @param {string} id
 * @param {string} name
 * @param {Child[]} controls
 */
function labeled(id, name, ...controls) {
  return h("div", { class: "field" }, h("label", { for: id }, labelOf(name)), ...controls);
}

/**
 * @param {Schema} schema
 * @param {Place} place
 * @returns {Field}
 */
function choice(schema, { name, id }) {
  const unset = schema.default === undefined ? "–" : `${schema.default} (default)`;
  const values = (schema.enum ?? []).filter((value) => value !== schema.default);
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
function number(schema, { name, id }) {
  const { minimum, maximum, default: preset, type } = schema;
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
 * @param {{ minimum: number, maximum: number, step: number | undefined, preset: Schema["default"] }} scale
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
function boolean(schema, { name, id }) {
  const preset = schema.default === true;
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
function color(schema, { name, id }) {
  const control = h("input", { id, type: "text", spellcheck: "false", placeholder: schema.default ?? "RRGGBB" });
  const picker = h("input", { type: "color", "aria-label": `${labelOf(name)}, picker` });
  const follow = () => {
    const [digits] = /[\da-f]{6}/i.exec(control.value || String(schema.default)) ?? ["ffffff"];
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
function text(schema, { name, id }) {
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
function map(_, { name, id }) {
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
 * The fields of an object's members, without a frame.
 * @param {Schema} schema
 * @param {{ root: ApiDocument, id: string, skip?: readonly string[] }} place
 * @returns {Setting & { elements: HTMLElement[] }}
 */
export function members(schema, { root, id, skip = [] }) {
  /** @type {[string, Field][]} */
  const entries = Object.entries(schema.properties ?? {}).flatMap(([name, node]) => {
    /** @type {Field | undefined} */
    const field = skip.includes(name) ? undefined : fieldOf(root, node, { name, id: `${id}-${name}` });
    return field ? [[name, field]] : [];
  });
  return {
    elements: entries.map(([, field]) => field.element),
    read: () => {
      const set = entries.map(([name, field]) => [name, field.read()]).filter(([, value]) => value !== undefined);
      return set.length === 0 ? undefined : Object.fromEntries(set);
    },
    write: (value) => {
      for (const [name, field] of entries) field.write(value?.[name]);
    },
  };
}

/**
 * An object: folded, and it says how many of its members are set.
 * @param {Schema} schema
 * @param {Place} place
 * @returns {Field}
 */
function group(schema, { root, name, id }) {
  const inner = members(schema, { root, id });
  return folded({ name, id, description: schema.description, content: inner.elements, inner });
}

/**
 * @param {{ name: string, id: string, description?: string | undefined, content: Child, inner: Setting }} parts
 * @returns {Field}
 */
function folded({ name, id, description, content, inner }) {
  const count = h("span", { class: "count" });
  const element = h(
    "details",
    { class: "group", id },
    h("summary", {}, h("span", {}, labelOf(name)), count),
    h("div", { class: "group-body" }, description && h("p", { class: "hint" }, prose(description)), content),
  );
  const recount = () => {
    const set = Object.keys(inner.read() ?? {}).length;
    count.textContent = set === 0 ? "" : `${set} set`;
  };
  element.addEventListener("input", recount);
  return {
    element,
    read: inner.read,
    write: (value) => {
      inner.write(value);
      recount();
      if (value !== undefined) element.open = true;
    },
  };
}

/**
 * One of several objects, each told by its first name for `provider`, or by its only required member.
 * @param {Schema} schema
 * @param {Place} place
 * @returns {Field}
 */
function variants(schema, { root, name, id }) {
  const options = (schema.oneOf ?? []).map((node) => {
    const one = resolve(root, node);
    const provider = one.properties?.["provider"]?.enum?.[0];
    const key = provider ?? one.required?.[0] ?? "other";
    return { key, provider, inner: members(one, { root, id: `${id}-${key}`, skip: provider ? ["provider"] : [] }) };
  });
  const control = h(
    "select",
    { id: `${id}-kind` },
    h("option", { value: "" }, "–"),
    options.map(({ key, provider }) => h("option", { value: key }, provider ?? `saved (${key})`)),
  );
  const place = h("div", { class: "variant" });
  const chosen = () => options.find(({ key }) => key === control.value);
  const show = () => place.replaceChildren(...(chosen()?.inner.elements ?? []));
  control.addEventListener("change", show);
  /** @type {Setting} */
  const inner = {
    read: () => {
      const option = chosen();
      return option && { ...(option.provider && { provider: option.provider }), ...option.inner.read() };
    },
    write: (value) => {
      control.value =
        (value && options.find(({ key }) => key === (value.provider ?? (value.id ? "id" : "")))?.key) ?? "";
      show();
      chosen()?.inner.write(value);
    },
  };
  return folded({ name, id, content: [labeled(`${id}-kind`, "kind", control), place], inner });
}

/** @param {HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement} control */
function writer(control) {
  return (/** @type {string | number | undefined} */ value) => {
    control.value = value === undefined ? "" : String(value);
  };
}
