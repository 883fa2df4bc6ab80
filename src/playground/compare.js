/** Before and after: one over the other with a divider, or side by side; fitted or pixel by pixel. */
import { h } from "./dom.js";

/**
 * @typedef {object} Pictures
 * @property {string | undefined} before undefined where the original is not on this page
 * @property {string} after
 * @property {number} width
 * @property {number} height
 */

/**
 * `{ element, show(pictures), clear() }`
 * @param {{ onOriginal: () => Promise<void> }} ports
 */
export function createCompare({ onOriginal }) {
  const element = h("div", { class: "compare", hidden: true });
  return {
    element,
    clear: () => {
      element.hidden = true;
      element.replaceChildren();
    },
    show: async (/** @type {Pictures} */ { before, after, width, height }) => {
      const images = await Promise.all([shown(before), shown(after)]);
      element.replaceChildren(...views(images, { width, height, onOriginal }));
      element.hidden = false;
    },
  };
}

/**
 * The decoded image; null where this browser knows no such format.
 * @param {string | undefined} url
 */
async function shown(url) {
  if (!url) return null;
  const image = h("img", { src: url, alt: "", draggable: "false" });
  return image.decode().then(
    () => image,
    () => null,
  );
}

/**
 * @param {[HTMLImageElement | null, HTMLImageElement | null]} images
 * @param {{ width: number, height: number, onOriginal: () => Promise<void> }} about
 */
function views([before, after], { width, height, onOriginal }) {
  const stage = h("div", { class: "stage" });
  stage.style.setProperty("--ratio", `${width} / ${height}`);
  stage.style.setProperty("--pixels", `${width / devicePixelRatio}px`);
  if (!after)
    return [h("p", { class: "notice" }, "This browser cannot show the result's format. Download it instead.")];
  after.alt = "The result";
  if (!before) {
    stage.append(after);
    return [tools(stage, []), frame(stage), originalOffer(onOriginal)];
  }
  before.alt = "The original";
  stage.append(before, after, ...divider(stage));
  return [
    tools(stage, [
      ["slider", "Slider"],
      ["pair", "Side by side"],
    ]),
    frame(stage),
  ];
}

/** @param {HTMLElement} stage */
function frame(stage) {
  return h("div", { class: "frame" }, stage);
}

/** @param {() => Promise<void>} onOriginal */
function originalOffer(onOriginal) {
  const button = h("button", { type: "button", class: "quiet small" }, "Show the original too");
  button.addEventListener("click", () => {
    button.disabled = true;
    void onOriginal().finally(() => {
      button.disabled = false;
    });
  });
  return h(
    "p",
    { class: "notice" },
    "The original is not on this page, or in a format that this browser cannot show. ",
    button,
    " It costs one more request.",
  );
}

/**
 * @param {HTMLElement} stage
 * @param {[string, string][]} modes
 */
function tools(stage, modes) {
  const zoom = h("button", { type: "button", class: "quiet small", "aria-pressed": "false" }, "100 %");
  zoom.addEventListener("click", () => {
    const whole = stage.classList.toggle("whole-pixels");
    zoom.setAttribute("aria-pressed", String(whole));
  });
  /** @type {HTMLButtonElement[]} */
  const buttons = modes.map(([mode, label], index) => {
    const button = h("button", { type: "button", class: "quiet small", "aria-pressed": String(index === 0) }, label);
    button.addEventListener("click", () => {
      stage.classList.toggle("pair", mode === "pair");
      for (const one of buttons) one.setAttribute("aria-pressed", String(one === button));
    });
    return button;
  });
  return h("div", { class: "tools", role: "group", "aria-label": "View" }, buttons, zoom);
}

/**
 * A range input is what keyboards and screen readers move; the pointer moves it from anywhere on the stage.
 * @param {HTMLElement} stage
 */
function divider(stage) {
  const range = h("input", {
    type: "range",
    min: 0,
    max: 100,
    step: 1,
    "aria-label": "Divider between original and result",
  });
  range.value = "50";
  const place = () => {
    stage.style.setProperty("--split", `${range.value}%`);
    range.setAttribute("aria-valuetext", `${range.value} % original`);
  };
  place();
  range.addEventListener("input", place);
  const follow = (/** @type {PointerEvent} */ event) => {
    const { left, width } = stage.getBoundingClientRect();
    range.value = String(((event.clientX - left) / width) * 100);
    place();
  };
  stage.addEventListener("pointerdown", (event) => {
    if (stage.classList.contains("pair") || event.button !== 0) return;
    stage.setPointerCapture(event.pointerId);
    follow(event);
  });
  stage.addEventListener("pointermove", (event) => {
    if (stage.hasPointerCapture(event.pointerId)) follow(event);
  });
  return [
    range,
    h("span", { class: "handle", "aria-hidden": "true" }),
    h("span", { class: "tag before", "aria-hidden": "true" }, "Original"),
    h("span", { class: "tag after", "aria-hidden": "true" }, "Result"),
  ];
}
