/** Before and after: one over the other with a divider, or side by side; fitted or pixel by pixel. */
import { h } from "./dom.js";
import { zoomOf } from "./zoom.js";

const NO_ORIGINAL = "The original is not on this page, or in a format that this browser cannot show.";

/**
 * @typedef {object} Pictures
 * @property {string | undefined} before undefined where the original is not on this page
 * @property {string} after
 * @property {number} width
 * @property {number} height
 */

/**
 * @typedef {object} Ports what makes visible that this browser cannot show by itself
 * @property {() => Promise<void>} onOriginal
 * @property {() => Promise<void>} onResult
 */

/**
 * `{ element, show(pictures), clear() }`
 * @param {Ports} ports
 */
export function createCompare(ports) {
  const element = h("div", { class: "compare", hidden: true });
  return {
    element,
    clear: () => {
      element.hidden = true;
      element.replaceChildren();
    },
    show: async (/** @type {Pictures} */ { before, after, width, height }) => {
      const images = await Promise.all([shown(before), shown(after)]);
      element.replaceChildren(...views(images, { width, height, ...ports }));
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
 * @param {{ width: number, height: number } & Ports} about
 */
function views([before, after], { width, height, onOriginal, onResult }) {
  const stage = h("div", { class: "stage" });
  stage.style.setProperty("--ratio", `${width} / ${height}`);
  stage.style.setProperty("--pixels", `${width / devicePixelRatio}px`);
  if (!after) return [offer("This browser cannot show the result's format.", "Show it as PNG", onResult)];
  after.alt = "The result";
  if (!before) {
    stage.append(after);
    const box = frame(stage);
    return [tools(stage, box, []), box, offer(NO_ORIGINAL, "Show the original too", onOriginal)];
  }
  before.alt = "The original";
  stage.append(before, after, ...divider(stage));
  const box = frame(stage);
  const modes = tools(stage, box, [
    ["slider", "Slider"],
    ["pair", "Side by side"],
  ]);
  return [modes, box];
}

/** @param {HTMLElement} stage */
function frame(stage) {
  const label = "Pictures: plus and minus zoom, 0 fits them in";
  return h("div", { class: "frame", tabindex: 0, role: "region", "aria-label": label }, stage);
}

/**
 * @param {string} why
 * @param {string} label
 * @param {() => Promise<void>} onAccept
 */
function offer(why, label, onAccept) {
  const button = h("button", { type: "button", class: "quiet small" }, label);
  button.addEventListener("click", () => {
    button.disabled = true;
    button.setAttribute("aria-busy", "true");
    void onAccept().finally(() => {
      button.disabled = false;
      button.removeAttribute("aria-busy");
    });
  });
  return h("p", { class: "notice" }, why, " ", button, " It costs one more request.");
}

/**
 * @param {HTMLElement} stage
 * @param {HTMLElement} box what scrolls around it
 * @param {[string, string][]} modes
 */
function tools(stage, box, modes) {
  /** @type {HTMLButtonElement[]} */
  const buttons = modes.map(([mode, label], index) => {
    const button = h("button", { type: "button", class: "quiet small", "aria-pressed": String(index === 0) }, label);
    button.addEventListener("click", () => {
      stage.classList.toggle("pair", mode === "pair");
      for (const one of buttons) one.setAttribute("aria-pressed", String(one === button));
    });
    return button;
  });
  return h("div", { class: "tools", role: "group", "aria-label": "View" }, buttons, zoomOf(stage, box));
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
    const isHandle = event.target instanceof Element && event.target.matches(".handle");
    if (event.pointerType === "touch" && stage.classList.contains("whole-pixels") && !isHandle) return;
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
