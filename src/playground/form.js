/** The form of a request's body, made from its schema. */
import { h } from "./dom.js";
import { members, fieldOf } from "./fields.js";
import { resolve } from "./schema.js";
import { srcsetField } from "./srcset-field.js";

/** @import { ApiDocument, Field } from "./shapes.d.ts" */

/** What most requests name; the rest follows in the order of the API. */
const FIRST = ["resize", "output", "optimize"];
/**
 * The page shows both the JSON and the images, so it asks for JSON; `outputs` are for programs, `srcset` has a field of its
 * own, and `cdn` is there for other clients' sake.
 */
const SKIPPED = ["response", "outputs", "srcset", "cdn"];

/**
 * The body of `POST /1.0/upload`; reads as undefined when nothing is set.
 * @param {ApiDocument} root
 * @returns {Field}
 */
export function createForm(root) {
  const part =
    root.paths["/1.0/upload"]?.["post"]?.requestBody?.content["multipart/form-data"]?.schema.properties?.["data"];
  const { properties = {} } = resolve(root, part) ?? {};
  /** @type {[string, Field][]} */
  const first = FIRST.flatMap((name) => {
    const field = fieldOf(root, properties[name], { name, id: `op-${name}` });
    return field ? [[name, field]] : [];
  });
  first.push(["srcset", srcsetField()]);
  const rest = members({ properties }, { root, id: "op", skip: [...FIRST, ...SKIPPED] });
  first[0]?.[1].element.setAttribute("open", "");
  return {
    element: h(
      "div",
      {},
      first.map(([, field]) => field.element),
      h("h2", {}, "Operations"),
      rest.elements,
    ),
    read: () => {
      const set = first.map(([name, field]) => [name, field.read()]).filter(([, value]) => value !== undefined);
      const body = { ...rest.read(), ...Object.fromEntries(set) };
      return Object.keys(body).length === 0 ? undefined : body;
    },
    write: (body) => {
      for (const [name, field] of first) field.write(body?.[name]);
      rest.write(body);
    },
  };
}
