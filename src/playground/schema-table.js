/** Schemas as tables of members; nested objects unfold. */
import { h, prose } from "./dom.js";
import { kindOf, nameOf, resolve } from "./schema.js";

/** @import { ApiDocument, Child, Schema } from "./shapes.d.ts" */

/**
 * The members of an object.
 * @param {ApiDocument} root
 * @param {Schema} schema
 * @returns {HTMLElement}
 */
export function membersOf(root, { properties = {}, required = [] }) {
  const rows = Object.entries(properties).filter(([, node]) => node.not === undefined);
  if (rows.length === 0) return h("p", { class: "hint" }, "No members.");
  return h(
    "table",
    { class: "members" },
    h(
      "tbody",
      {},
      rows.map(([name, node]) => memberOf(root, name, node, required.includes(name))),
    ),
  );
}

/**
 * @param {ApiDocument} root
 * @param {string} name
 * @param {Schema} node
 * @param {boolean} required
 */
function memberOf(root, name, node, required) {
  const schema = resolve(root, node);
  return h(
    "tr",
    {},
    h("th", { scope: "row" }, h("code", {}, name), required && h("span", { class: "required" }, "required")),
    h(
      "td",
      {},
      h("span", { class: "type" }, typeOf(root, schema)),
      schema.description && h("p", {}, prose(schema.description)),
      unfolding(root, node, schema),
    ),
  );
}

/**
 * `integer, 1 to 100, default 80`.
 * @param {ApiDocument} root
 * @param {Schema} schema
 * @returns {Child}
 */
function typeOf(root, schema) {
  if (schema.const !== undefined) return prose(`\`${JSON.stringify(schema.const)}\``);
  const parts = [basicType(root, schema), rangeOf(schema)];
  if (schema["x-default"] !== undefined) parts.push(`default \`${schema["x-default"]}\``);
  return prose(parts.filter(Boolean).join(", "));
}

/**
 * @param {ApiDocument} root
 * @param {Schema | undefined} schema
 * @returns {string}
 */
function basicType(root, schema) {
  if (!schema) return "ignored";
  switch (kindOf(schema)) {
    case "choice":
      return (schema.enum ?? []).map((value) => `\`${value}\``).join(" or ");
    case "color":
      return "color, as `RGB`, `RRGGBB` or with alpha";
    case "text":
      return textType(schema);
    case "group":
      return "object";
    case "map":
      return "object of texts";
    case "variants":
      return "one of";
    case "nothing":
      return schema.type === "array" ? `list of ${basicType(root, resolve(root, schema.items))}` : "ignored";
    default:
      return schema.type ?? "ignored";
  }
}

/** @param {Schema} schema */
function textType({ format, pattern, anyOf, contentMediaType }) {
  if (contentMediaType) return "file";
  if (anyOf && !anyOf.some(({ type }) => type === "string")) return "one of";
  if (format) return format;
  return pattern ? `text like \`${pattern}\`` : "text";
}

/** @param {Schema} schema */
function rangeOf({ minimum, maximum, minLength, maxLength }) {
  if (minimum !== undefined && maximum !== undefined) return `${minimum} to ${maximum}`;
  if (minimum !== undefined) return `at least ${minimum}`;
  if (maxLength !== undefined)
    return minLength ? `${minLength} to ${maxLength} characters` : `at most ${maxLength} characters`;
  return "";
}

/**
 * What is inside: an object's members, a list's items, each of several shapes. Made when it is opened.
 * @param {ApiDocument} root
 * @param {Schema} node
 * @param {Schema} schema
 * @returns {Child}
 */
function unfolding(root, node, schema) {
  const several = schema.oneOf ?? (schema.anyOf?.some((one) => one.$ref) ? schema.anyOf : undefined);
  const items = resolve(root, schema.items);
  if (several)
    return several.map((one, index) =>
      fold(root, one, titleOf(resolve(root, one), nameOf(one) || `shape ${index + 1}`)),
    );
  if (schema.items && items?.properties) return fold(root, schema.items, nameOf(schema.items) || "each");
  return schema.properties && fold(root, node, nameOf(node) || "members");
}

/**
 * @param {Schema} schema
 * @param {string} fallback
 */
function titleOf({ properties = {} }, fallback) {
  return properties["provider"]?.enum?.[0] ?? (properties["id"] ? "saved" : fallback);
}

/**
 * @param {ApiDocument} root
 * @param {Schema} node
 * @param {string} title
 */
function fold(root, node, title) {
  const place = h("div", { class: "fold" });
  const element = h("details", {}, h("summary", {}, title), place);
  element.addEventListener("toggle", () => {
    if (place.childElementCount === 0) place.append(membersOf(root, resolve(root, node)));
  });
  return element;
}
