/** The page at `/docs/reference`: openapi.json as a reference to read. */
import { byId, copyButton, fill, h, prose } from "./dom.js";
import { exampleOf } from "./examples.js";
import { membersOf } from "./schema-table.js";
import { apiDocument, resolve } from "./schema.js";

/** @import { ApiDocument, ApiResponse, Child, Endpoint, Operation, Parameter } from "./shapes.d.ts" */

/** @type {Readonly<Record<string, string>>} */
const ACCESS = {
  operator: "The operator's token, as Bearer",
  basic: "An API key: as the user name of Basic with an empty password, or as Bearer",
};

/** @typedef {{ name: string, description?: string, operations: Endpoint[] }} Topic */

/** @param {ApiDocument} root */
function render(root) {
  const operations = Object.entries(root.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  const topics = root.tags.map((tag) => ({
    ...tag,
    operations: operations.filter(({ operation }) => operation.tags[0] === tag.name),
  }));
  byId("contents").replaceChildren(...topics.map(contentsOf));
  byId("main").replaceChildren(introduction(root), ...topics.map((topic) => sectionOf(root, topic)));
  if (location.hash) document.getElementById(location.hash.slice(1))?.scrollIntoView();
}

/** @param {Topic} topic */
function contentsOf({ name, operations }) {
  return h(
    "details",
    { open: true },
    h("summary", {}, name),
    h(
      "ul",
      {},
      operations.map(({ method, path, operation }) =>
        h("li", {}, h("a", { href: `#${operation.operationId}` }, verb(method), h("span", {}, path))),
      ),
    ),
  );
}

/** @param {string} method */
function verb(method) {
  return h("span", { class: `verb ${method}` }, method.toUpperCase());
}

/** @param {ApiDocument} root */
function introduction({ info }) {
  const sample = `curl -O ${location.origin}/sample.jpg`;
  return h(
    "section",
    { class: "intro" },
    h("h1", {}, `${info.title} API ${info.version}`),
    h("p", {}, prose(info.description)),
    h(
      "p",
      {},
      "The examples send ",
      h("a", { href: "/sample.jpg", download: true }, "sample.jpg"),
      ", which this service has:",
    ),
    program(sample, "the line that fetches the sample"),
  );
}

/**
 * @param {ApiDocument} root
 * @param {Topic} topic
 */
function sectionOf(root, { name, description, operations }) {
  return h(
    "section",
    { class: "topic" },
    h("h2", {}, name),
    description && h("p", { class: "hint" }, prose(description)),
    operations.map((one) => operationOf(root, one)),
  );
}

/**
 * @param {ApiDocument} root
 * @param {Endpoint} endpoint
 */
function operationOf(root, { path, method, operation }) {
  const { operationId, summary, parameters = [], requestBody, responses } = operation;
  return h(
    "article",
    { class: "panel endpoint", id: operationId, "aria-labelledby": `${operationId}-title` },
    h("h3", { id: `${operationId}-title` }, h("a", { href: `#${operationId}` }, verb(method), h("code", {}, path))),
    h("p", {}, prose(summary)),
    accessOf(root, operation),
    program(exampleOf(root, { path, method, operation }), `the example of ${operationId}`),
    parameters.length > 0 && parametersOf(root, parameters),
    requestBody && bodyOf(root, requestBody),
    h("h4", {}, "Answers"),
    Object.entries(responses).map(([status, node]) => answerOf(root, status, resolve(root, node))),
  );
}

/**
 * @param {ApiDocument} root
 * @param {Operation} operation
 */
function accessOf(root, { security = root.security }) {
  const [scheme] = Object.keys(security[0] ?? {});
  return scheme && h("p", { class: "hint" }, ACCESS[scheme] ?? scheme);
}

/**
 * @param {ApiDocument} root
 * @param {readonly Parameter[]} parameters
 * @returns {Child}
 */
function parametersOf(root, parameters) {
  const properties = Object.fromEntries(
    parameters.map((node) => {
      const { name, in: where, schema, description } = resolve(root, node);
      return [name, { ...schema, description: description ?? (where === "path" ? "In the path." : "In the query.") }];
    }),
  );
  const required = parameters.filter((node) => resolve(root, node).required).map((node) => resolve(root, node).name);
  return [h("h4", {}, "Parameters"), membersOf(root, { properties, required })];
}

/**
 * @param {ApiDocument} root
 * @param {NonNullable<Operation["requestBody"]>} node
 * @returns {Child}
 */
function bodyOf(root, node) {
  const [[mime, media] = ["", undefined]] = Object.entries(resolve(root, node).content);
  const schema = media?.schema ?? {};
  return [h("h4", {}, "Body ", h("code", {}, mime)), membersOf(root, resolve(root, schema))];
}

/**
 * @param {ApiDocument} root
 * @param {string} status
 * @param {ApiResponse} answer
 */
function answerOf(root, status, { description, headers = {}, content = {} }) {
  const json = content["application/json"];
  const other = Object.keys(content).filter((mime) => mime !== "application/json");
  const kind = Number(status) < 400 ? "good" : "bad";
  const inside = () => [
    other.length > 0 &&
      h(
        "p",
        { class: "hint" },
        "Also as ",
        other.map((mime) => h("code", {}, mime)),
        ".",
      ),
    json?.example !== undefined && program(JSON.stringify(json.example, null, 2), `the answer ${status}`),
    json?.schema && resolve(root, json.schema).properties && membersOf(root, resolve(root, json.schema)),
    Object.keys(headers).length > 0 && headersOf(root, headers),
  ];
  return later(
    { class: "answer" },
    [h("span", { class: `code-number ${kind}` }, status), h("span", {}, description)],
    inside,
  );
}

/**
 * @param {ApiDocument} root
 * @param {NonNullable<ApiResponse["headers"]>} headers
 * @returns {Child}
 */
function headersOf(root, headers) {
  const properties = Object.fromEntries(
    Object.entries(headers).map(([name, node]) => {
      const { schema, description } = resolve(root, node);
      return [name, { ...schema, description }];
    }),
  );
  return [h("h5", {}, "Headers"), membersOf(root, { properties, required: [] })];
}

/**
 * A fold whose content is made when it is opened: the whole document at once would be thousands of rows.
 * @param {Record<string, string>} attributes
 * @param {Child} summary
 * @param {() => Child} inside
 */
function later(attributes, summary, inside) {
  const place = h("div", { class: "fold" });
  const element = h("details", attributes, h("summary", {}, summary), place);
  element.addEventListener("toggle", () => {
    if (place.childElementCount === 0) fill(place, inside());
  });
  return element;
}

/**
 * @param {string} text
 * @param {string} what
 */
function program(text, what) {
  return h(
    "div",
    { class: "code copyable" },
    h("pre", { tabindex: "0" }, text),
    copyButton(() => text, what),
  );
}

apiDocument().then(render, (error) => {
  byId("main").replaceChildren(h("div", { class: "error", role: "alert" }, error.message));
});
