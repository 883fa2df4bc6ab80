/** Reading the schemas of openapi.json: what the form and the reference have in common. */

/** @import { ApiDocument, Schema } from "./shapes.d.ts" */

/** @type {Promise<ApiDocument> | undefined} */
let loading;

/**
 * The API document of this service, fetched once.
 * @returns {Promise<ApiDocument>}
 */
export function apiDocument() {
  loading ??= fetch("/openapi.json").then((answer) => {
    if (!answer.ok) throw new Error(`openapi.json: HTTP ${answer.status}`);
    return answer.json();
  });
  return loading;
}

/**
 * The schema, parameter, header or response itself where a reference stands in its place.
 * @template Node
 * @param {ApiDocument} root
 * @param {Node} node
 * @returns {Node}
 */
export function resolve(root, node) {
  const { $ref } = /** @type {Schema} */ (node ?? {});
  if (typeof $ref !== "string") return node;
  const found = $ref
    .slice(2)
    .split("/")
    .reduce((at, step) => at[step.replaceAll("~1", "/").replaceAll("~0", "~")], /** @type {any} */ (root));
  return resolve(root, found);
}

/**
 * The last part of a reference; empty for anything else.
 * @param {Schema | undefined} node
 */
export function nameOf(node) {
  return node?.$ref?.split("/").at(-1) ?? "";
}

/**
 * What a form shows for a schema; `nothing` where any value is accepted and ignored.
 * @param {Schema} schema
 */
export function kindOf(schema) {
  if (schema.enum) return "choice";
  if (schema.type === "integer" || schema.type === "number") return "number";
  // Numbers may come as digits in a text, which a form has no need of.
  if (schema.anyOf?.some(({ type }) => type === "number")) return "number";
  if (schema.type === "boolean") return "boolean";
  if (schema.oneOf) return "variants";
  if (schema.type === "array" && schema.items?.properties?.["x"]) return "regions";
  if (schema.type === "object") return schema.properties ? "group" : "map";
  if (schema.type === "string" || schema.anyOf) return isColor(schema) ? "color" : "text";
  return "nothing";
}

/** @param {Schema} schema */
function isColor({ pattern = "" }) {
  return pattern.includes("[\\da-f]{6}");
}

/**
 * `Top left` for `top_left` or `top-left`.
 * @param {string} name
 */
export function labelOf(name) {
  const words = name.replaceAll(/[-_]/g, " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}
