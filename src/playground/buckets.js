/** The view of whole buckets: estimates batches, begins them, and shows them as they go. */
import { createBatchCard, isAtWork, titleOf } from "./bucket-card.js";
import { estimateFigures } from "./bucket-figures.js";
import { createBucketForm } from "./bucket-form.js";
import { createGuard, section, sureButton } from "./cards.js";
import { fill, h } from "./dom.js";
import { call } from "./request.js";

/**
 * @import { BatchAccepted, BatchChanged, BatchFound, BatchList, BatchRecord, Called, ConnectorList } from "./shapes.d.ts"
 * @import { BatchCard } from "./bucket-card.js"
 */

const PAGE = 20;
/** Between two looks at batches that are at work. */
const LOOK_MS = 2_000;

/**
 * `{ element, load() }`
 * @param {{ readRequest: () => object | undefined }} ports
 */
export function createBuckets(ports) {
  const view = new Buckets(ports);
  return { element: view.element, load: () => view.load() };
}

class Buckets {
  #guard = createGuard();
  #making = h("div", {});
  #list = h("div", { class: "deliveries" });
  #estimate = h("div", { class: "entries" });
  #said = h("p", { class: "visually-hidden", role: "status", "aria-live": "polite" });
  /** @type {Map<string, BatchCard>} */
  #cards = new Map();
  /** @type {ConnectorList["connectors"]} */
  #connectors = [];
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  /** What was typed when the last estimate began; another text, and it is not shown. */
  #asked = 0;
  /** @type {() => object | undefined} */
  #readRequest;

  /** @param {{ readRequest: () => object | undefined }} ports */
  constructor({ readRequest }) {
    this.#readRequest = readRequest;
    const about = h(
      "p",
      { class: "hint" },
      "A batch works on every picture of a bucket, in place or elsewhere, whether this page is open or not. ",
      h("a", { href: "/docs/buckets" }, "How"),
    );
    this.element = h("div", {}, h("h1", {}, "Buckets"), about, this.#guard.parts, this.#said, this.#making, this.#list);
  }

  async load() {
    clearTimeout(this.#timer);
    await this.#guard.guarded(async () => {
      const [batches, connectors] = await Promise.all([
        /** @type {Promise<Called<BatchList>>} */ (call("GET", `/1.0/batches?limit=${PAGE}`)),
        /** @type {Promise<Called<ConnectorList>>} */ (call("GET", "/1.0/connectors?limit=100")),
      ]);
      this.#connectors = connectors.answer.connectors;
      if (!this.#making.querySelector("form")) this.#making.replaceChildren(this.#startCard());
      this.#cards.clear();
      for (const batch of batches.answer.batches) this.#cardOf(batch);
      this.#arrange();
      await this.#look(
        [...this.#cards.values()].filter((one) => isAtWork(one.batch().state) || one.batch().counts.failed > 0),
      );
    });
    this.#lookLater();
  }

  /** @param {string} id */
  #named = (id) => this.#connectors.find((one) => one.id === id)?.name ?? id;

  #startCard() {
    if (this.#connectors.length === 0) {
      const save = h("a", { href: "/docs/reference#addConnector" }, "Save a connector");
      return section("new-batch", "Begin a batch", h("p", { class: "hint" }, save, " that leads to a bucket first."));
    }
    const form = createBucketForm({
      connectors: this.#connectors,
      readRequest: this.#readRequest,
      onChange: () => this.#forgetEstimate(),
      onEstimate: () => this.#guard.guarded(() => this.#estimated(form.read())),
    });
    return section("new-batch", "Begin a batch", [form.element, this.#estimate]);
  }

  #forgetEstimate() {
    this.#asked += 1;
    fill(this.#estimate);
  }

  /** @param {object} json */
  async #estimated(json) {
    this.#forgetEstimate();
    const asked = this.#asked;
    fill(this.#estimate, h("p", { role: "status" }, "Listing the bucket, and trying some of its pictures …"));
    try {
      const found = await this.#dryRun({ ...json, dry_run: true }, asked);
      if (!found || asked !== this.#asked) return;
      const { batch, failures } = found;
      const [failure] = failures;
      fill(
        this.#estimate,
        h("h3", { tabindex: -1 }, "Estimate"),
        batch.estimate ? estimateFigures(batch.estimate) : h("p", {}, `${batch.state}: ${batch.reason ?? ""}`),
        failure && h("p", { class: "hint" }, `${failure.key}: ${failure.reason}`),
        batch.estimate && batch.counts.found > 0 && this.#beginButton(json, batch),
      );
      this.#estimate.querySelector("h3")?.focus();
    } catch (error) {
      if (asked === this.#asked) this.#forgetEstimate();
      throw error;
    }
  }

  /**
   * A dry run at its end; undefined when nobody waits for it any more: it is ended then.
   * @param {object} body
   * @param {number} asked
   * @returns {Promise<BatchFound | undefined>}
   */
  async #dryRun(body, asked) {
    const { answer } = /** @type {Called<BatchAccepted>} */ (await call("POST", "/1.0/batches", { body }));
    const { id } = answer.batch;
    for (;;) {
      const { answer: found } = /** @type {Called<BatchFound>} */ (await call("GET", `/1.0/batches/${id}`));
      if (!isAtWork(found.batch.state)) return found;
      if (asked !== this.#asked) {
        await call("POST", `/1.0/batches/${id}/cancel`);
        return undefined;
      }
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS / 2));
    }
  }

  /**
   * @param {object} json
   * @param {BatchRecord} dry
   */
  #beginButton(json, dry) {
    const title = titleOf({ ...dry, dry_run: false }, this.#named);
    const button = sureButton("Begin this batch", `Begin ${title}`, () =>
      this.#guard.guarded(async () => {
        const { answer } = /** @type {Called<BatchAccepted>} */ (await call("POST", "/1.0/batches", { body: json }));
        this.#forgetEstimate();
        const { element } = this.#cardOf(answer.batch);
        this.#list.querySelector("#card-batches")?.closest("section")?.remove();
        this.#list.prepend(element);
        element.querySelector("h2")?.focus();
        this.#lookLater();
      }, "The batch has begun."),
    );
    return h("div", { class: "row-actions" }, button);
  }

  /** @param {BatchRecord} batch */
  #cardOf(batch) {
    const { id } = batch;
    const card = createBatchCard(batch, {
      named: this.#named,
      steer: (order) =>
        this.#guard.guarded(async () => {
          const { answer } = /** @type {Called<BatchChanged>} */ (await call("POST", `/1.0/batches/${id}/${order}`));
          this.#show(card, answer);
          this.#lookLater();
        }),
    });
    this.#cards.set(id, card);
    return card;
  }

  #arrange() {
    const elements = [...this.#cards.values()].map(({ element }) => element);
    const empty = section("batches", "Batches", h("p", { class: "hint" }, "No batch yet."));
    this.#list.replaceChildren(...(elements.length > 0 ? elements : [empty]));
  }

  /**
   * @param {BatchCard} card
   * @param {Pick<BatchFound, "batch"> & Partial<BatchFound>} found
   */
  #show(card, found) {
    if (card.show(found)) this.#said.textContent = `${titleOf(found.batch, this.#named)}: ${found.batch.state}`;
  }

  /** @param {readonly BatchCard[]} cards */
  async #look(cards) {
    await Promise.all(
      cards.map(async (card) => {
        const { answer } = /** @type {Called<BatchFound>} */ (await call("GET", `/1.0/batches/${card.batch().id}`));
        this.#show(card, answer);
      }),
    );
  }

  /** Looks again while somebody sees the page, and something goes on. */
  #lookLater() {
    clearTimeout(this.#timer);
    const going = () => [...this.#cards.values()].filter((card) => isAtWork(card.batch().state));
    if (going().length === 0 || this.element.closest("[hidden]")) return;
    this.#timer = setTimeout(async () => {
      // A look that fails is made again: the service may be starting anew.
      if (document.visibilityState === "visible") await this.#look(going()).catch(() => undefined);
      this.#lookLater();
    }, LOOK_MS);
  }
}
