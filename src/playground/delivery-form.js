/** The form of a delivery: its name, sources, presets, and what unsigned addresses may ask for. */
import { labeled } from "./cards.js";
import { fill, h } from "./dom.js";
import { ADDRESS_FORMATS } from "./format-lists.js";

/**
 * @import { ConnectorList, DeliveryRecord, NewDelivery } from "./shapes.d.ts"
 * @typedef {NewDelivery["sources"][number]} Source
 * @typedef {{ element: HTMLElement, read: () => unknown }} Row
 */

const WEEK_SECONDS = 604_800;
/** What finals say of where they are from, and how the form says that. */
const PROVENANCE = [
  ["auto", "Signed where the original has any, or is marked as synthetic, and a signer is saved"],
  ["sign", "Always signed"],
  ["keep", "Signed where the original has any, with all that it has"],
  ["drop", "None, and no mark of a synthetic picture"],
];

/**
 * @param {object} ports
 * @param {string} ports.id what the ids of its controls begin with
 * @param {string} ports.submit
 * @param {(read: () => object) => Promise<void>} ports.save given what reads the form, which throws when a preset is no JSON
 * @param {() => object | undefined} ports.readRequest
 * @param {ConnectorList["connectors"]} ports.connectors
 */
export function createDeliveryForm({ id, submit, save, readRequest, connectors }) {
  const name = h("input", { id: `${id}-name`, type: "text", maxlength: 128, autocomplete: "off" });
  const sources = createRows(`${id}-source`, "Source", (rowId, value) => sourceRow(rowId, value, connectors));
  const presets = createRows(`${id}-preset`, "Preset", presetRow);
  const unsigned = unsignedFields(id);
  const refine = h("input", { id: `${id}-refine`, type: "checkbox" });
  const provenance = h(
    "select",
    { id: `${id}-provenance` },
    PROVENANCE.map(([value, text]) => h("option", { value }, text)),
  );
  const ttl = h("input", { id: `${id}-ttl`, type: "number", min: 60, max: 31_536_000, inputmode: "numeric" });
  const takeForm = h("button", { type: "button", class: "quiet small" }, "Add what the playground is set to");
  takeForm.addEventListener("click", () => presets.add(["", readRequest() ?? {}]));
  const form = h(
    "form",
    { class: "delivery-form", novalidate: true },
    labeled("Name", name),
    h("fieldset", {}, h("legend", {}, "Sources"), sources.element, sources.button),
    h(
      "fieldset",
      {},
      h("legend", {}, "Presets"),
      presets.element,
      h("div", { class: "row-actions" }, presets.button, takeForm),
    ),
    unsigned.element,
    h("div", { class: "field check" }, refine, h("label", { for: refine.id }, "A draft first, the final soon after")),
    labeled("Content Credentials of finals", provenance),
    labeled("Seconds until an original is asked for again", ttl),
    h("div", { class: "actions" }, h("button", { type: "submit", class: "primary" }, submit)),
  );
  const read = () => ({
    name: name.value.trim(),
    sources: sources.read(),
    presets: Object.fromEntries(/** @type {[string, unknown][]} */ (presets.read())),
    unsigned: unsigned.read(),
    refine: refine.checked,
    ttl: Number(ttl.value),
    provenance: provenance.value,
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void save(read);
  });
  /** @param {DeliveryRecord | undefined} delivery */
  const write = (delivery) => {
    name.value = delivery?.name ?? "";
    sources.write(delivery ? delivery.sources : [undefined]);
    presets.write(Object.entries(delivery?.presets ?? {}));
    unsigned.write(delivery?.unsigned ?? false);
    refine.checked = delivery?.refine ?? true;
    provenance.value = delivery?.provenance ?? "auto";
    ttl.value = String(delivery?.ttl ?? WEEK_SECONDS);
  };
  write(undefined);
  return { element: form, write };
}

/**
 * Rows that can be added and removed.
 * @template Value
 * @param {string} id
 * @param {string} what
 * @param {(id: string, value: Value | undefined) => Row} makeRow
 */
function createRows(id, what, makeRow) {
  const element = h("div", { class: "entries" });
  const button = h("button", { type: "button", class: "quiet small" }, `Add a ${what.toLowerCase()}`);
  /** @type {Set<Row>} */
  let rows = new Set();
  let made = 0;
  const add = (/** @type {Value | undefined} */ value) => {
    made += 1;
    const row = makeRow(`${id}-${made}`, value);
    const remove = h("button", { type: "button", class: "quiet small" }, "Remove");
    const label = `${what} ${made}`;
    remove.setAttribute("aria-label", `Remove ${label.toLowerCase()}`);
    const group = h("div", { class: "entry", role: "group", "aria-label": label }, row.element, remove);
    remove.addEventListener("click", () => {
      rows.delete(row);
      group.remove();
      button.focus();
    });
    rows.add(row);
    element.append(group);
    return group;
  };
  button.addEventListener("click", () => {
    const first = add(undefined).querySelector("input, select");
    if (first instanceof HTMLElement) first.focus();
  });
  const write = (/** @type {readonly (Value | undefined)[]} */ values) => {
    rows = new Set();
    element.replaceChildren();
    values.forEach(add);
  };
  return { element, button, add, write, read: () => [...rows].map((row) => row.read()) };
}

/**
 * @param {string} id
 * @param {Source | undefined} source
 * @param {ConnectorList["connectors"]} connectors
 * @returns {Row}
 */
function sourceRow(id, source, connectors) {
  const option = (/** @type {string} */ value, /** @type {string} */ text, /** @type {string | undefined} */ chosen) =>
    h("option", { value, selected: value === chosen }, text);
  const kind = h(
    "select",
    { id: `${id}-kind` },
    option("web", "The web", source?.kind),
    option("store", "A store", source?.kind),
    option("bucket", "The operator's bucket", source?.kind),
  );
  const input = (/** @type {string} */ member, /** @type {string | undefined} */ value, placeholder = "") =>
    h("input", { id: `${id}-${member}`, type: "text", value, placeholder, autocomplete: "off", spellcheck: "false" });
  const prefix = input(
    "prefix",
    source?.kind === "web" ? source.prefix : undefined,
    "https://www.example.com/uploads/",
  );
  const name = input("name", source && source.kind !== "web" ? source.name : undefined);
  const path = input("path", source && source.kind !== "web" ? source.path : undefined, "folder/");
  const saved = source?.kind === "store" ? source.connector : undefined;
  const connector = h(
    "select",
    { id: `${id}-connector` },
    connectors.length === 0 && option("", "none is saved", undefined),
    connectors.map((one) => option(one.id, `${one.name} (${one.provider})`, saved)),
  );
  const members = h("div", { class: "members" });
  const show = () => {
    const named = [labeled("Name in addresses", name), labeled("Folder", path)];
    if (kind.value === "web") fill(members, labeled("Addresses begin with", prefix));
    else fill(members, kind.value === "store" && labeled("Connector", connector), ...named);
  };
  kind.addEventListener("change", show);
  show();
  const folder = () => (path.value.trim() === "" ? {} : { path: path.value.trim() });
  const read = () => {
    if (kind.value === "web") return { kind: "web", prefix: prefix.value.trim() };
    const named = { kind: kind.value, name: name.value.trim(), ...folder() };
    return kind.value === "store" ? { ...named, connector: connector.value } : named;
  };
  return { element: h("div", { class: "members" }, labeled("Kind", kind), members), read };
}

/**
 * @param {string} id
 * @param {[string, object] | undefined} preset
 * @returns {Row}
 */
function presetRow(id, [name, body] = ["", {}]) {
  const named = h("input", { id: `${id}-name`, type: "text", value: name, autocomplete: "off", spellcheck: "false" });
  const text = h("textarea", { id: `${id}-body`, rows: 4, spellcheck: "false" });
  text.value = JSON.stringify(body, null, 2);
  const read = () => {
    try {
      return [named.value.trim(), JSON.parse(text.value)];
    } catch {
      throw new Error(`The preset ${named.value.trim()} is not JSON`);
    }
  };
  return {
    element: h("div", { class: "members" }, labeled("Name", named), labeled("Request, as JSON", text)),
    read,
  };
}

/** @param {string} id */
function unsignedFields(id) {
  const rule = h(
    "select",
    { id: `${id}-unsigned` },
    h("option", { value: "none" }, "Nothing: every address is signed"),
    h("option", { value: "presets" }, "Presets"),
    h("option", { value: "list" }, "Presets, widths and formats"),
  );
  const widths = h("input", { id: `${id}-widths`, type: "text", placeholder: "320, 640, 1280", autocomplete: "off" });
  const boxes = ADDRESS_FORMATS.map((format) =>
    h("input", { id: `${id}-format-${format}`, type: "checkbox", value: format }),
  );
  const listed = h(
    "div",
    { class: "members" },
    labeled("Widths", widths),
    h(
      "fieldset",
      { class: "boxes" },
      h("legend", {}, "Formats besides auto"),
      boxes.map((box) => h("div", { class: "field check" }, box, h("label", { for: box.id }, box.value))),
    ),
  );
  /** What the form does not show, and keeps. */
  let others = {};
  const show = () => (listed.hidden = rule.value !== "list");
  rule.addEventListener("change", show);
  const read = () => {
    if (rule.value === "none") return false;
    if (rule.value === "presets") return { ...others, presets_only: true };
    const numbers = widths.value.split(/[\s,]+/).filter(Boolean);
    const formats = boxes.filter((box) => box.checked).map((box) => box.value);
    return { ...others, widths: numbers.map(Number), formats };
  };
  /** @param {DeliveryRecord["unsigned"]} value */
  const write = (value) => {
    const { widths: _, formats: __, presets_only: ___, ...hidden } = value === false ? {} : value;
    others = hidden;
    rule.value = value === false ? "none" : value.presets_only ? "presets" : "list";
    widths.value = value === false ? "" : (value.widths ?? []).join(", ");
    const formats = value === false ? [] : (value.formats ?? []);
    for (const box of boxes) box.checked = formats.some((format) => format === box.value);
    show();
  };
  return { element: h("div", { class: "members" }, labeled("Unsigned addresses may use", rule), listed), read, write };
}
