/** The form that begins a batch: which objects, what is done to them, and where results go. */
import { labeled } from "./cards.js";
import { h } from "./dom.js";

/** @import { ConnectorList } from "./shapes.d.ts" */

/**
 * `{ element, read }`; `read` throws where what is typed is no request.
 * @param {object} ports
 * @param {ConnectorList["connectors"]} ports.connectors
 * @param {() => object | undefined} ports.readRequest what the playground's form holds
 * @param {() => void} ports.onChange
 * @param {() => Promise<void>} ports.onEstimate
 */
export function createBucketForm({ connectors, readRequest, onChange, onEstimate }) {
  const from = connectorSelect("bucket-from", connectors);
  const prefix = text("bucket-prefix", "uploads/");
  const include = text("bucket-include", "*.jpg, photos/**");
  const exclude = text("bucket-exclude", "");
  const where = h(
    "select",
    { id: "bucket-where" },
    h("option", { value: "in-place" }, "In place of their originals"),
    h("option", { value: "elsewhere" }, "Under another prefix"),
  );
  const to = connectorSelect("bucket-to", connectors);
  const toPrefix = text("bucket-to-prefix", "optimized/");
  const elsewhere = h(
    "div",
    { class: "pair-fields", hidden: true },
    labeled("Bucket of the results", to),
    labeled("Their names begin with", toPrefix),
  );
  const smaller = h("input", { id: "bucket-smaller", type: "number", min: 0, max: 99, value: 5, inputmode: "numeric" });
  const request = h("textarea", { id: "bucket-request", rows: 5, spellcheck: "false" });
  request.value = JSON.stringify({ optimize: { compression: "medium" } }, null, 2);
  const take = h("button", { type: "button", class: "quiet small" }, "Take what the playground is set to");
  take.addEventListener("click", () => {
    request.value = JSON.stringify(readRequest() ?? {}, null, 2);
    onChange();
  });
  where.addEventListener("change", () => {
    elsewhere.hidden = where.value === "in-place";
  });
  const element = h(
    "form",
    { class: "delivery-form", novalidate: true },
    h("div", { class: "pair-fields" }, labeled("Bucket", from), labeled("Names begin with", prefix)),
    h("div", { class: "pair-fields" }, labeled("Only names like", include), labeled("No names like", exclude)),
    labeled("Results go", where),
    elsewhere,
    labeled("Percent that a result must be smaller", smaller),
    labeled("Request, as JSON", request),
    h("div", { class: "row-actions" }, take),
    h("div", { class: "actions" }, h("button", { type: "submit", class: "primary" }, "Estimate")),
  );
  element.addEventListener("input", onChange);
  element.addEventListener("submit", (event) => {
    event.preventDefault();
    void onEstimate();
  });
  const read = () => ({
    ...requestIn(request.value),
    source: {
      connector: from.value,
      prefix: prefix.value,
      ...listed("include", include.value),
      ...listed("exclude", exclude.value),
    },
    target: where.value === "in-place" ? where.value : { connector: to.value, prefix: toPrefix.value },
    only_if_smaller: Number(smaller.value),
  });
  return { element, read };
}

/** @param {string} json */
function requestIn(json) {
  try {
    return JSON.parse(json.trim() === "" ? "{}" : json);
  } catch (cause) {
    throw new Error("The request is no JSON.", { cause });
  }
}

/**
 * @param {string} name
 * @param {string} patterns
 */
function listed(name, patterns) {
  const list = patterns
    .split(",")
    .map((pattern) => pattern.trim())
    .filter((pattern) => pattern !== "");
  return list.length > 0 ? { [name]: list } : {};
}

/**
 * @param {string} id
 * @param {ConnectorList["connectors"]} connectors
 */
function connectorSelect(id, connectors) {
  const options = connectors.map((one) => h("option", { value: one.id }, `${one.name} (${one.provider})`));
  return h("select", { id }, options);
}

/**
 * @param {string} id
 * @param {string} placeholder
 */
function text(id, placeholder) {
  return h("input", { id, type: "text", placeholder, autocomplete: "off", spellcheck: "false" });
}
