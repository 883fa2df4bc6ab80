/**
 * Form controls made from schemas. A field is `{ element, read(), write(value) }`; what is left empty, or as the schema's
 * default has it, reads as undefined and is not sent.
 */
import { boolean, choice, color, labeled, map, number, regions, text } from "./controls.js";
import { h, prose } from "./dom.js";
import { fieldLabel } from "./labels.js";
import { kindOf, resolve } from "./schema.js";

/** @import { ApiDocument, Child, Field, Place, Schema, Setting } from "./shapes.d.ts" */

/** @type {Readonly<Record<string, (schema: Schema, place: Place) => Field>>} */
const MAKERS = { choice, number, boolean, color, text, group, variants, map, regions };

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
 * The fields of an object's members, without a frame.
 * @param {Schema} schema
 * @param {{ root: ApiDocument, id: string, skip?: readonly string[], only?: readonly string[] | undefined }} place
 * @returns {Setting & { elements: HTMLElement[] }}
 */
export function members(schema, { root, id, skip = [], only }) {
  /** @type {[string, Field][]} */
  const entries = Object.entries(schema.properties ?? {}).flatMap(([name, node]) => {
    const isLeftOut = skip.includes(name) || (only && !only.includes(name));
    /** @type {Field | undefined} */
    const field = isLeftOut ? undefined : fieldOf(root, node, { name, id: `${id}-${name}` });
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
  return restOf(schema, { root, name, id, skip: [] });
}

/**
 * The members of an object but some, folded. It opens by itself where one of its own is set.
 * @param {Schema} schema
 * @param {Place & { skip: readonly string[] }} place
 * @returns {Field}
 */
export function restOf(schema, { root, name, id, skip }) {
  const inner = members(schema, { root, id, skip });
  return folded({ name, id, description: schema.description, content: inner.elements, inner });
}

/** @param {string} description */
function about(description) {
  const text = h("p", { class: "hint" }, prose(description));
  return h("details", { class: "about" }, h("summary", {}, "What it does"), text);
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
    h("summary", {}, h("span", {}, fieldLabel(id, name)), count),
    h("div", { class: "group-body" }, description && about(description), content),
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
      if (inner.read() !== undefined) element.open = true;
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
