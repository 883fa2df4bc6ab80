/** The example of an endpoint as a line for the shell that works against this service. */
import { resolve } from "./schema.js";
import { DEMO_KEY, readKey } from "./session.js";
import { shell } from "./snippets.js";

/** @import { ApiDocument, Endpoint, Operation } from "./shapes.d.ts" */

/** @type {Readonly<Record<string, string>>} */
const FILES = { addKeyfile: "keyfile.json" };

/**
 * The program; segments of the path and parameters that only the caller knows are variables of the shell.
 * @param {ApiDocument} root
 * @param {Endpoint} endpoint
 */
export function exampleOf(root, { path, method, operation }) {
  const words = ["curl"];
  if (method !== "get" && !(method === "post" && operation.requestBody)) words.push(`-X ${method.toUpperCase()}`);
  words.push(...accessWords(root, operation), addressOf(root, path, operation));
  return [words.join(" "), ...bodyWords(root, operation)].join(" \\\n  ");
}

/**
 * @param {ApiDocument} root
 * @param {Operation} operation
 */
function accessWords(root, { security = root.security }) {
  const [scheme] = Object.keys(security[0] ?? {});
  const local = readKey() === DEMO_KEY;
  if (scheme === undefined) return [];
  if (scheme === "operator")
    return [local ? "-H 'Authorization: Bearer admin'" : '-H "Authorization: Bearer $ADMIN_TOKEN"'];
  return [local ? `-u ${DEMO_KEY}:` : '-u "$DARKROOM_KEY:"'];
}

/**
 * @param {ApiDocument} root
 * @param {string} path
 * @param {Operation} operation
 */
function addressOf(root, path, { operationId, parameters = [] }) {
  const needed = parameters
    .map((node) => resolve(root, node))
    .filter((one) => one.in === "query" && one.required)
    .map(({ name }) => `${name}=$${name.toUpperCase()}`);
  const query = needed.length > 0 ? `?${needed.join("&")}` : "";
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name) => `$${name.toUpperCase()}`) + query;
  const address = location.origin + filled;
  const quoted = filled === path ? address : `"${address}"`;
  return operationId === "downloadResult" ? `-O ${quoted}` : quoted;
}

/**
 * @param {ApiDocument} root
 * @param {Operation} operation
 */
function bodyWords(root, { operationId, requestBody }) {
  if (!requestBody) return [];
  const [[mime, media] = ["", undefined]] = Object.entries(resolve(root, requestBody).content);
  const example = /** @type {{ readonly data?: object }} */ (media?.example ?? {});
  if (mime === "multipart/form-data") {
    const data =
      example.data && Object.keys(example.data).length > 0
        ? [`--form-string data=${shell(JSON.stringify(example.data))}`]
        : [];
    return [`-F file=@${FILES[operationId] ?? "sample.jpg"}`, ...data];
  }
  const body = operationId === "fetchImage" ? { ...example, url: `${location.origin}/sample.jpg` } : example;
  return ["-H 'Content-Type: application/json'", `-d ${shell(JSON.stringify(body))}`];
}
