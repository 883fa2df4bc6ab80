/** The view of an account: credits, rate, usage, notifications, saved things. */
import { card, createGuard, refreshing, row, section, smallButton, sureButton } from "./cards.js";
import { bytesText, countText, h, moment } from "./dom.js";
import { call } from "./request.js";
import { usageOf } from "./usage.js";

/**
 * @import {
 *   Account, Called, ConnectorList, ConnectorRecord, KeyfileList, KeyfileRecord, UsageList, WatermarkList,
 *   WatermarkRecord, WebhookList, WebhookRecord,
 * } from "./shapes.d.ts"
 */

const PAGE = 20;

/**
 * @typedef {object} Actions
 * @property {import("./cards.js").Guarded} guarded
 * @property {() => Promise<void>} load
 * @property {(id: string) => void} useWatermark
 */

/**
 * `{ element, load() }`
 * @param {Pick<Actions, "useWatermark">} ports
 */
export function createAccount({ useWatermark }) {
  const { guarded, parts } = createGuard();
  const cards = h("div", { class: "cards" });
  const load = () =>
    guarded(() =>
      refreshing(cards, async () => cards.replaceChildren(...(await allCards({ guarded, load, useWatermark })))),
    );
  return { element: h("div", {}, h("h1", {}, "Account"), parts, cards), load };
}

/** @param {Actions} actions */
async function allCards(actions) {
  const [about, usage, webhooks, watermarks, connectors, keyfiles] = await Promise.all([
    /** @type {Promise<Called<Account>>} */ (call("GET", "/1.0/account")),
    /** @type {Promise<Called<UsageList>>} */ (call("GET", "/1.0/account/usage?limit=100")),
    /** @type {Promise<Called<WebhookList>>} */ (call("GET", `/1.0/webhooks?limit=${PAGE}`)),
    /** @type {Promise<Called<WatermarkList>>} */ (call("GET", `/1.0/watermarks?limit=${PAGE}`)),
    /** @type {Promise<Called<ConnectorList>>} */ (call("GET", `/1.0/connectors?limit=${PAGE}`)),
    /** @type {Promise<Called<KeyfileList>>} */ (call("GET", `/1.0/keyfiles?limit=${PAGE}`)),
  ]);
  const connectorRows = connectors.answer.connectors.map((one) => connectorRow(one, actions));
  const keyfileRows = keyfiles.answer.keyfiles.map((one) => keyfileRow(one, actions));
  return [
    creditCard(about),
    uploadCard(actions),
    section("Usage", "Usage of the last 30 days", usageOf(usage.answer)),
    watermarkCard(watermarks.answer.watermarks, actions),
    webhookCard(webhooks.answer.webhooks, actions),
    card("Connectors", connectorRows, h("span", {}, "No saved stores. ", docs("addConnector", "Save one"), ".")),
    card("Keyfiles", keyfileRows, h("span", {}, "No keyfiles. ", docs("addKeyfile", "Save one"), ".")),
  ];
}

/**
 * @param {string} operationId
 * @param {string} text
 */
function docs(operationId, text) {
  return h("a", { href: `/docs/reference#${operationId}` }, text);
}

/** @param {Called<Account>} called */
function creditCard({ answer: { subscription, credits, cpu_seconds: cpu, finals }, header }) {
  const [limit = 0, left = 0, reset = 0] = ["Limit", "Remaining", "Reset"].map((name) =>
    Number(header(`X-RateLimit-${name}`)),
  );
  return section(
    "credits",
    ["Plan ", h("em", {}, subscription.name)],
    [
      gauge(
        "Credits used this month",
        credits.used,
        credits.total,
        credits.unlimited ? `${countText(credits.used)}, without a limit` : `${countText(credits.remaining)} left`,
      ),
      cpu && gauge("Seconds of processor time today", cpu.used, cpu.limit, "a new budget at midnight, UTC"),
      finals && gauge("New pictures of deliveries today", finals.used, finals.limit, "a new budget at midnight, UTC"),
      gauge("Requests in this window", limit - left, limit, `${countText(left)} left, new window in ${reset} s`),
    ].filter((shown) => shown !== undefined),
  );
}

/**
 * A token for the example page, which is opened with it. What follows # in an address is sent to nobody.
 * @param {Pick<Actions, "guarded">} actions
 */
function uploadCard({ guarded }) {
  const links = h("p", {});
  const make = smallButton("Make a token", "Make a token for one upload", () => {
    void guarded(async () => {
      const body = { data: { resize: { width: 1200, upscale: false } } };
      const { answer } = /** @type {Called<{ token: string }>} */ (await call("POST", "/1.0/upload-tokens", { body }));
      links.replaceChildren(h("a", { href: `/upload#token=${answer.token}` }, "Open the example page with it"));
    }, "Token made.");
  });
  const about = ["Pages upload with a token of your server in place of a key. ", docs("createUploadToken", "How"), "."];
  return section("uploads", "Uploads from pages", [h("p", {}, about), h("p", {}, make), links]);
}

/**
 * @param {string} label
 * @param {number} value
 * @param {number} max
 * @param {string} note
 */
function gauge(label, value, max, note) {
  const id = `gauge-${label.replaceAll(" ", "-").toLowerCase()}`;
  return h(
    "div",
    { class: "gauge" },
    h("label", { for: id }, label),
    h("strong", {}, `${countText(value)} of ${countText(max)}`),
    h("meter", { id, min: 0, max: Math.max(max, 1), high: max * 0.9, optimum: 0, value }),
    h("span", { class: "hint" }, note),
  );
}

/**
 * @param {readonly WatermarkRecord[]} watermarks
 * @param {Actions} actions
 */
function watermarkCard(watermarks, { guarded, load, useWatermark }) {
  const upload = h("input", { type: "file", id: "watermark-file", class: "visually-hidden", accept: "image/*" });
  upload.addEventListener("change", () => {
    const [file] = upload.files ?? [];
    if (!file) return;
    void guarded(async () => {
      const body = new FormData();
      body.set("file", file, file.name);
      await call("POST", "/1.0/watermarks", { body });
      await load();
    }, "Watermark saved.");
  });
  const rows = watermarks.map(({ id, name, format, width, height, bytes }) =>
    row(
      [
        h("strong", {}, name),
        h("span", { class: "hint" }, `${format}, ${width} × ${height}, ${bytesText(bytes)}`),
        h("code", {}, id),
      ],
      [
        smallButton("Use", `Use ${name}`, () => useWatermark(id)),
        removeButton(`/1.0/watermarks/${id}`, name, "Watermark deleted.", { guarded, load }),
      ],
    ),
  );
  const label = h("label", { class: "choose small", for: upload.id }, "Upload a watermark");
  return card("Watermarks", rows, "Nothing saved yet.", h("p", {}, upload, label));
}

/**
 * @param {string} path
 * @param {string} name
 * @param {string} done
 * @param {Pick<Actions, "guarded" | "load">} actions
 */
function removeButton(path, name, done, { guarded, load }) {
  return sureButton("Delete", `Delete ${name}`, () =>
    guarded(async () => {
      await call("DELETE", path);
      await load();
    }, done),
  );
}

/**
 * @param {readonly WebhookRecord[]} webhooks
 * @param {Actions} actions
 */
function webhookCard(webhooks, { guarded, load }) {
  const rows = webhooks.map((record) => {
    const again = smallButton("Redeliver", `Redeliver ${record.id}`, () => {
      void guarded(async () => {
        await call("POST", `/1.0/webhooks/${record.id}/redeliver`);
        await load();
      }, "Redelivery started.");
    });
    return row(
      [
        h("span", {}, h("span", { class: `state ${record.status}` }, record.status), " ", moment(record.created_at)),
        h("code", {}, record.id),
        attemptsOf(record),
      ],
      (record.status === "delivered" || record.status === "failed") && again,
    );
  });
  const refresh = h("button", { type: "button", class: "quiet small", onclick: () => void load() }, "Refresh");
  return card("Notifications", rows, "No request with a webhook yet.", h("p", {}, refresh));
}

/** @param {WebhookRecord} record */
function attemptsOf({ attempts, payload }) {
  const summary = `${attempts.length} ${attempts.length === 1 ? "attempt" : "attempts"}`;
  const lines = attempts.map(({ at, code, duration_ms: duration }) =>
    h("li", {}, moment(at), ` ${code === 0 ? "no answer" : `HTTP ${code}`}, ${duration} ms`),
  );
  const text = JSON.stringify(payload, null, 2);
  return h(
    "details",
    {},
    h("summary", {}, summary),
    h("ol", { class: "attempts" }, lines),
    h("div", { class: "code" }, h("pre", { tabindex: "0", role: "region", "aria-label": "Payload" }, text)),
  );
}

/**
 * @param {ConnectorRecord} connector
 * @param {Actions} actions
 */
function connectorRow({ id, name, provider, key_hint: hint }, actions) {
  return row(
    [h("strong", {}, name), h("span", { class: "hint" }, `${provider}, key …${hint}`), h("code", {}, id)],
    removeButton(`/1.0/connectors/${id}`, name, "Connector deleted.", actions),
  );
}

/**
 * @param {KeyfileRecord} keyfile
 * @param {Actions} actions
 */
function keyfileRow({ id, name, client_email: email }, actions) {
  return row(
    [h("strong", {}, name), h("span", { class: "hint" }, email), h("code", {}, id)],
    removeButton(`/1.0/keyfiles/${id}`, name, "Keyfile deleted.", actions),
  );
}
