/** The view of an account: credits, rate, notifications, saved things. */
import { bytesText, h, moment } from "./dom.js";
import { call } from "./request.js";

const PAGE = 20;

/** `{ element, load() }` */
export function createAccount({ useWatermark }) {
  const message = h("div", { class: "error", role: "alert", hidden: true });
  const said = h("p", { class: "visually-hidden", role: "status", "aria-live": "polite" });
  const cards = h("div", { class: "cards" });
  const guarded = async (work, done) => {
    message.hidden = true;
    try {
      await work();
      if (done) said.textContent = done;
    } catch (error) {
      message.hidden = false;
      message.replaceChildren(
        h("strong", {}, error.status ? `${error.status}` : "Failed"),
        h("span", {}, error.message),
      );
    }
  };
  const load = () =>
    guarded(async () => {
      const focused = document.activeElement?.closest(".card")?.getAttribute("aria-labelledby");
      cards.inert = true; // what is about to be replaced cannot be used any more
      try {
        cards.replaceChildren(...(await allCards({ guarded, load, useWatermark })));
      } finally {
        cards.inert = false;
      }
      if (focused) document.getElementById(focused)?.focus();
    });
  return { element: h("div", {}, h("h1", {}, "Account"), message, said, cards), load };
}

async function allCards(actions) {
  const paths = [
    "account",
    `webhooks?limit=${PAGE}`,
    `watermarks?limit=${PAGE}`,
    `connectors?limit=${PAGE}`,
    `keyfiles?limit=${PAGE}`,
  ];
  const [about, ...lists] = await Promise.all(paths.map((path) => call("GET", `/1.0/${path}`)));
  const [{ webhooks }, { watermarks }, { connectors }, { keyfiles }] = lists.map(({ answer }) => answer);
  return [
    creditCard(about),
    watermarkCard(watermarks, actions),
    webhookCard(webhooks, actions),
    card("Connectors", connectors.map(connectorRow), "No saved stores. POST /1.0/connectors saves one."),
    card("Keyfiles", keyfiles.map(keyfileRow), "No keyfiles. POST /1.0/keyfiles saves one."),
  ];
}

function card(title, rows, empty, ...more) {
  const id = `card-${title.toLowerCase()}`;
  return h(
    "section",
    { class: "panel card", "aria-labelledby": id },
    h("h2", { id, tabindex: -1 }, title),
    rows.length > 0 ? h("ul", { class: "rows" }, rows) : h("p", { class: "hint" }, empty),
    more,
  );
}

function creditCard({ answer: { subscription, credits }, header }) {
  const [limit, left, reset] = ["Limit", "Remaining", "Reset"].map((name) => Number(header(`X-RateLimit-${name}`)));
  return h(
    "section",
    { class: "panel card", "aria-labelledby": "card-credits" },
    h("h2", { id: "card-credits", tabindex: -1 }, "Plan ", h("em", {}, subscription.name)),
    gauge("Credits used this month", credits.used, credits.total, `${credits.remaining.toLocaleString("en")} left`),
    gauge(
      "Requests in this window",
      limit - left,
      limit,
      `${left.toLocaleString("en")} left, new window in ${reset} s`,
    ),
  );
}

function gauge(label, value, max, note) {
  const id = `gauge-${label.replaceAll(" ", "-").toLowerCase()}`;
  return h(
    "div",
    { class: "gauge" },
    h("label", { for: id }, label),
    h("strong", {}, `${value.toLocaleString("en")} of ${max.toLocaleString("en")}`),
    h("meter", { id, min: 0, max: Math.max(max, 1), high: max * 0.9, optimum: 0, value }),
    h("span", { class: "hint" }, note),
  );
}

function watermarkCard(watermarks, { guarded, load, useWatermark }) {
  const upload = h("input", { type: "file", id: "watermark-file", class: "visually-hidden", accept: "image/*" });
  upload.addEventListener("change", () => {
    const [file] = upload.files;
    if (!file) return;
    void guarded(async () => {
      const body = new FormData();
      body.set("file", file, file.name);
      await call("POST", "/1.0/watermarks", { body });
      await load();
    }, "Watermark saved.");
  });
  const rows = watermarks.map(({ id, name, format, width, height, bytes }) =>
    h(
      "li",
      {},
      h(
        "div",
        {},
        h("strong", {}, name),
        h("span", { class: "hint" }, `${format}, ${width} × ${height}, ${bytesText(bytes)}`),
        h("code", {}, id),
      ),
      h(
        "div",
        { class: "row-actions" },
        h(
          "button",
          { type: "button", class: "quiet small", "aria-label": `Use ${name}`, onclick: () => useWatermark(id) },
          "Use",
        ),
        removeButton(name, () =>
          guarded(async () => {
            await call("DELETE", `/1.0/watermarks/${id}`);
            await load();
          }, "Watermark deleted."),
        ),
      ),
    ),
  );
  return card(
    "Watermarks",
    rows,
    "Nothing saved yet.",
    h("p", {}, upload, h("label", { class: "choose small", for: upload.id }, "Upload a watermark")),
  );
}

/** Asks again on the same button: deleting cannot be undone. */
function removeButton(name, remove) {
  const button = h("button", { type: "button", class: "quiet small", "aria-label": `Delete ${name}` }, "Delete");
  let sure = false;
  button.addEventListener("click", () => {
    if (sure) return void remove();
    sure = true;
    button.textContent = "Really?";
    button.setAttribute("aria-label", `Really delete ${name}?`);
  });
  button.addEventListener("blur", () => {
    sure = false;
    button.textContent = "Delete";
    button.setAttribute("aria-label", `Delete ${name}`);
  });
  return button;
}

function webhookCard(webhooks, { guarded, load }) {
  const rows = webhooks.map((record) => {
    const again = h(
      "button",
      { type: "button", class: "quiet small", "aria-label": `Redeliver ${record.id}` },
      "Redeliver",
    );
    again.addEventListener("click", () =>
      guarded(async () => {
        await call("POST", `/1.0/webhooks/${record.id}/redeliver`);
        await load();
      }, "Redelivery started."),
    );
    return h(
      "li",
      {},
      h(
        "div",
        {},
        h("span", {}, h("span", { class: `state ${record.status}` }, record.status), " ", moment(record.created_at)),
        h("code", {}, record.id),
        attemptsOf(record),
      ),
      h("div", { class: "row-actions" }, (record.status === "delivered" || record.status === "failed") && again),
    );
  });
  const refresh = h("button", { type: "button", class: "quiet small", onclick: () => void load() }, "Refresh");
  return card("Notifications", rows, "No request with a webhook yet.", h("p", {}, refresh));
}

function attemptsOf({ attempts, payload }) {
  const summary = `${attempts.length} ${attempts.length === 1 ? "attempt" : "attempts"}`;
  return h(
    "details",
    {},
    h("summary", {}, summary),
    h(
      "ol",
      { class: "attempts" },
      attempts.map(({ at, code, duration_ms: duration }) =>
        h("li", {}, moment(at), ` ${code === 0 ? "no answer" : `HTTP ${code}`}, ${duration} ms`),
      ),
    ),
    h("div", { class: "code" }, h("pre", { tabindex: "0", "aria-label": "Payload" }, JSON.stringify(payload, null, 2))),
  );
}

function connectorRow({ id, name, provider, key_hint: hint }) {
  return h(
    "li",
    {},
    h("div", {}, h("strong", {}, name), h("span", { class: "hint" }, `${provider}, key …${hint}`), h("code", {}, id)),
  );
}

function keyfileRow({ id, name }) {
  return h("li", {}, h("div", {}, h("strong", {}, name), h("code", {}, id)));
}
