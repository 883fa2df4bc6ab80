/** The view of deliveries: makes them, shows what they made and what that cost, and what addresses they take. */
import { card, createGuard, refreshing, section, sureButton } from "./cards.js";
import { createAddress } from "./delivery-address.js";
import { createDeliveryForm } from "./delivery-form.js";
import { signingPanel } from "./delivery-signing.js";
import { figuresOf, totalsOf } from "./delivery-usage.js";
import { h, moment } from "./dom.js";
import { call } from "./request.js";

/**
 * @import {
 *   Called, ConnectorList, DeliveryCreated, DeliveryUsage, DeliveryList, DeliveryRecord, DeliverySigning,
 * } from "./shapes.d.ts"
 * @typedef {object} Actions
 * @property {import("./cards.js").Guarded} guarded
 * @property {() => Promise<void>} load
 * @property {(panel: HTMLElement) => void} reveal puts the panel of a new signing pair before everything else
 * @property {() => object | undefined} readRequest what the playground's form holds
 * @property {ConnectorList["connectors"]} connectors
 */

const PAGE = 100;

/**
 * `{ element, load() }`
 * @param {Pick<Actions, "readRequest">} ports
 */
export function createDeliveries({ readRequest }) {
  const { guarded, parts } = createGuard();
  const revealed = h("div", {});
  const list = h("div", { class: "deliveries" });
  const making = h("div", {});
  const reveal = (/** @type {HTMLElement} */ panel) => {
    revealed.replaceChildren(panel);
    panel.querySelector("h2")?.focus();
  };
  const load = () =>
    guarded(() =>
      refreshing(list, async () => {
        const { deliveries, usage, connectors } = await everything();
        const actions = { guarded, load, reveal, readRequest, connectors };
        const cards = deliveries.map((one) => deliveryCard(one, usage.get(one.id) ?? [], actions));
        list.replaceChildren(...(cards.length > 0 ? cards : [card("Deliveries", [], "No delivery yet.")]));
        // What was typed into the form stays.
        if (!making.hasChildNodes()) making.append(newCard(actions));
      }),
    );
  const about = h(
    "p",
    { class: "hint" },
    "A delivery shows pictures by address: pages name the original and what is to be done with it. ",
    h("a", { href: "/docs/reference#addDelivery" }, "Reference"),
  );
  return { element: h("div", {}, h("h1", {}, "Deliveries"), about, parts, revealed, list, making), load };
}

async function everything() {
  const [found, usage, connectors] = await Promise.all([
    /** @type {Promise<Called<DeliveryList>>} */ (call("GET", `/1.0/deliveries?limit=${PAGE}`)),
    usageByDelivery(),
    /** @type {Promise<Called<ConnectorList>>} */ (call("GET", `/1.0/connectors?limit=${PAGE}`)),
  ]);
  return { deliveries: found.answer.deliveries, usage, connectors: connectors.answer.connectors };
}

/**
 * What each delivery did in the last 30 days; an answer is a page.
 * @returns {Promise<Map<string, DeliveryUsage[]>>}
 */
async function usageByDelivery() {
  /** @type {DeliveryUsage[]} */
  const days = [];
  for (let offset = 0; ; offset += PAGE) {
    const { answer } = /** @type {Called<import("./shapes.d.ts").UsageList>} */ (
      await call("GET", `/1.0/account/usage?limit=${PAGE}&offset=${offset}`)
    );
    days.push(...answer.deliveries);
    if (answer.deliveries.length < PAGE) break;
  }
  return Map.groupBy(days, ({ delivery_id: id }) => id);
}

/** @param {Actions} actions */
function newCard(actions) {
  const { guarded, load, reveal } = actions;
  const form = createDeliveryForm({
    ...actions,
    id: "delivery-new",
    submit: "Make the delivery",
    save: (read) =>
      guarded(async () => {
        const { answer } = /** @type {Called<DeliveryCreated>} */ (
          await call("POST", "/1.0/deliveries", { body: read() })
        );
        form.write(undefined);
        await load();
        reveal(signingPanel(answer.delivery, answer.signing));
      }, "Delivery made."),
  });
  return section("new-delivery", "Make a delivery", form.element);
}

/**
 * @param {DeliveryRecord} delivery
 * @param {readonly DeliveryUsage[]} days
 * @param {Actions} actions
 */
function deliveryCard(delivery, days, actions) {
  const { guarded, load } = actions;
  const { id, name, created_at: made } = delivery;
  const open = isOpen(delivery);
  const form = createDeliveryForm({
    ...actions,
    id: `delivery-${id}`,
    submit: "Save",
    save: (read) =>
      guarded(async () => {
        await call("PATCH", `/1.0/deliveries/${id}`, { body: read() });
        await load();
      }, "Delivery saved. It takes up to a minute until every place knows."),
  });
  form.write(delivery);
  // Two deliveries may have one name.
  return section(
    `delivery-${id}`,
    [name, " ", h("code", { class: "hint" }, id)],
    [
      h("p", { class: "hint" }, "Made ", moment(made), ". ", rulesText(delivery)),
      figuresOf(totalsOf(days)),
      h("h3", {}, "Make an address"),
      createAddress(delivery, guarded),
      !open && h("details", {}, h("summary", {}, "Sources, presets and rules"), form.element),
      h("h3", {}, "Maintenance"),
      maintenance(delivery, actions),
    ],
  );
}

/**
 * The delivery of a service on one's own machine takes everything: there is nothing to set or to sign.
 * @param {DeliveryRecord} delivery
 */
function isOpen({ sources }) {
  return sources.length === 0;
}

/** @param {DeliveryRecord} delivery */
function rulesText(delivery) {
  const { unsigned, refine } = delivery;
  if (isOpen(delivery)) return "Any picture of the web, with any options, unsigned: on this machine only.";
  const signing =
    unsigned === false
      ? "Every address is signed."
      : unsigned.presets_only
        ? "Unsigned addresses may use presets."
        : "Unsigned addresses may use presets, widths and formats of the list.";
  return `${signing} ${refine ? "A draft first, the final soon after." : "The final at once."}`;
}

/**
 * @param {DeliveryRecord} delivery
 * @param {Actions} actions
 */
function maintenance(delivery, { guarded, load, reveal }) {
  const { id, name } = delivery;
  const called = name || id;
  const source = h("input", { id: `purge-${id}`, type: "text", autocomplete: "off", spellcheck: "false" });
  const purge = sureButton("Purge", `Purge results of ${called}`, () =>
    guarded(async () => {
      const given = source.value.trim();
      await call("POST", `/1.0/deliveries/${id}/purge`, { body: given === "" ? {} : { source: given } });
      source.value = "";
    }, "Results are being forgotten. It takes up to a minute everywhere."),
  );
  const rotate = sureButton("New signing keys", `New signing keys of ${called}`, () =>
    guarded(async () => {
      const { answer } = /** @type {Called<DeliverySigning>} */ (await call("POST", `/1.0/deliveries/${id}/signing`));
      reveal(signingPanel({ id, name }, answer.signing, answer.previous?.valid_until));
    }, "New signing keys made."),
  );
  const remove = sureButton("Delete", `Delete ${called}`, () =>
    guarded(async () => {
      await call("DELETE", `/1.0/deliveries/${id}`);
      await load();
    }, "Delivery deleted."),
  );
  return h(
    "div",
    { class: "maintenance" },
    h(
      "div",
      { class: "field" },
      h("label", { for: source.id }, "Forget the results of this original, or of all when it is empty"),
      h("div", { class: "with-button" }, source, purge),
    ),
    !isOpen(delivery) && h("div", { class: "row-actions" }, rotate, remove),
  );
}
