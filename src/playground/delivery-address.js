/** An address of a delivery, put together, copied, and looked at. */
import { signatureOf } from "./delivery-signing.js";
import { bytesText, copyButton, durationText, fill, h } from "./dom.js";
import { ADDRESS_FORMATS } from "./format-lists.js";
import { call } from "./request.js";

/**
 * @import { Called, DeliveryRecord, DeliverySigning } from "./shapes.d.ts"
 */

/** What browsers say of pictures in pages: the page itself asks for anything. */
const ACCEPT = "image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8";

/**
 * @param {DeliveryRecord} delivery
 * @param {import("./cards.js").Guarded} guarded
 */
export function createAddress(delivery, guarded) {
  const fields = fieldsOf(delivery);
  const text = h("pre", { tabindex: "0", role: "region", "aria-label": `Address of ${delivery.id}` });
  const picture = h("div", { class: "preview" });
  const read = () => addressOf(delivery, fields.options(), fields.source());
  const plain = () => (text.textContent = read());
  const show = h("button", { type: "submit", class: "primary" }, "Show it");
  const sign = h("button", { type: "button", class: "quiet" }, "Sign it");
  const head = h(
    "div",
    { class: "code-head" },
    h("span", { class: "hint" }, "Address"),
    copyButton(() => text.textContent ?? "", "the address"),
  );
  const form = h(
    "form",
    { class: "address", novalidate: true },
    h("div", { class: "group-body" }, fields.elements),
    h("div", { class: "code" }, head, text),
    h("div", { class: "actions" }, show, delivery.sources.length > 0 && sign),
    picture,
  );
  const signed = async () => {
    text.textContent = await signedAddress(delivery, fields.options(), fields.source());
  };
  form.addEventListener("input", plain);
  sign.addEventListener("click", () => void guarded(signed, "Address signed."));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void guarded(async () => {
      if (delivery.unsigned === false && text.textContent === read()) await signed();
      await look(text.textContent ?? "", picture);
    });
  });
  plain();
  return form;
}

/** @param {DeliveryRecord} delivery */
function fieldsOf({ id, sources, presets, unsigned }) {
  const labeled = (/** @type {string} */ label, /** @type {HTMLElement} */ control, wide = false) =>
    h("div", { class: wide ? "field wide-field" : "field" }, h("label", { for: control.id }, label), control);
  const choice = (/** @type {string} */ name, /** @type {readonly string[]} */ values, /** @type {string} */ none) =>
    h(
      "select",
      { id: `${name}-${id}` },
      h("option", { value: "" }, none),
      values.map((value) => h("option", { value }, value)),
    );
  const source = h("input", { id: `source-${id}`, type: "text", autocomplete: "off", spellcheck: "false" });
  source.value = firstSource(sources);
  const preset = choice("preset", Object.keys(presets), "none");
  const widths = unsigned === false ? [] : (unsigned.widths ?? []);
  const width = h("input", { id: `width-${id}`, type: "number", min: "1", inputmode: "numeric", list: `widths-${id}` });
  const listed = h(
    "datalist",
    { id: `widths-${id}` },
    widths.map((value) => h("option", { value })),
  );
  const format = choice("format", ADDRESS_FORMATS, "auto");
  const more = h("input", {
    id: `more-${id}`,
    type: "text",
    autocomplete: "off",
    spellcheck: "false",
    placeholder: "fit=cover,height=200",
  });
  const options = () =>
    [
      preset.value && `preset=${preset.value}`,
      width.value && `width=${width.value}`,
      format.value && `format=${format.value}`,
      more.value.trim(),
    ]
      .filter(Boolean)
      .join(",");
  return {
    elements: [
      labeled("Original", source, true),
      labeled("Preset", preset),
      labeled("Width", width),
      listed,
      labeled("Format", format),
      labeled("Other options", more, true),
    ],
    options,
    source: () => source.value.trim(),
  };
}

/**
 * What originals begin with; any source of the web where there is no list.
 * @param {DeliveryRecord["sources"]} sources
 */
function firstSource([first]) {
  if (!first) return `${location.origin}/sample.jpg`;
  return first.kind === "web" ? first.prefix : `${first.name}/`;
}

/**
 * @param {Pick<DeliveryRecord, "url">} delivery
 * @param {string} options
 * @param {string} source
 */
function addressOf({ url }, options, source) {
  return `${url}/${options || "-"}/${spelled(source)}`;
}

/**
 * Plain where every character of it may stand in an address as it is, else percent-encoded as a whole.
 * @param {string} source
 */
function spelled(source) {
  return /^[\w\-.~:/@!$&'()*+;=]*$/.test(source) ? source : encodeURIComponent(source);
}

/**
 * @param {DeliveryRecord} delivery
 * @param {string} options
 * @param {string} source
 */
async function signedAddress({ id, url }, options, source) {
  const { answer } = /** @type {Called<DeliverySigning>} */ (await call("GET", `/1.0/deliveries/${id}/signing`));
  const signature = await signatureOf(answer.signing, `/${options}/${spelled(source)}`);
  return `${url}/${options === "" ? "" : `${options},`}sig=${signature}/${spelled(source)}`;
}

/**
 * Shows what an address answers. It is asked of the place that this page came from.
 * @param {string} address
 * @param {HTMLElement} place
 */
async function look(address, place) {
  const startedAt = performance.now();
  const path = address.slice(new URL(address).origin.length);
  const answer = await fetch(location.origin + path, { headers: { Accept: ACCEPT }, cache: "no-store" });
  const type = answer.headers.get("content-type") ?? "";
  if (!answer.ok || !type.startsWith("image/")) {
    const text = await answer.text();
    fill(place);
    throw new Error(answer.ok ? text : messageOf(text, answer.status));
  }
  const blob = await answer.blob();
  const took = durationText(performance.now() - startedAt);
  const said = (/** @type {string} */ end) => [...answer.headers].find(([name]) => name.endsWith(end))?.[1] ?? "";
  const image = h("img", { src: URL.createObjectURL(blob), alt: "What the address shows" });
  image.addEventListener("load", () => URL.revokeObjectURL(image.src), { once: true });
  await image.decode().catch(() => undefined);
  const size = image.naturalWidth > 0 ? `, ${image.naturalWidth} × ${image.naturalHeight}` : "";
  const facts = `${type.slice("image/".length)}${size}, ${bytesText(blob.size)}, in ${took}`;
  fill(place, image, h("p", { role: "status" }, `${wordsOf(said("-rendition"), said("-cache"))} ${facts}.`));
}

/**
 * @param {string} rendition
 * @param {string} cache
 */
function wordsOf(rendition, cache) {
  const origin = { hit: "from the edge", stored: "from the bucket", miss: "made just now" }[cache] ?? "";
  return rendition === "draft" ? `The draft, ${origin}; the final follows:` : `The final, ${origin}:`;
}

/**
 * @param {string} text
 * @param {number} status
 */
function messageOf(text, status) {
  try {
    return `${status} ${JSON.parse(text).message}`;
  } catch {
    return `HTTP ${status}`;
  }
}
