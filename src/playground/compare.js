/**
 * The stage: original and result one over the other with a divider, side by side, or as their difference; fitted or pixel by
 * pixel. It stays while pictures come and go: zoom, place and divider are kept as long as the picture has the same shape.
 */
import { fill, h } from "./dom.js";
import { isMoved, zoomOf } from "./zoom.js";

const NO_ORIGINAL = "The original is not on this page, or in a format that this browser cannot show.";
const NO_RESULT = "This browser cannot show the result's format.";
/** Sides of results are whole pixels: pictures whose shapes differ by less are of one shape. */
const SAME_SHAPE = 0.02;
/** @type {readonly (readonly [mode: string, label: string])[]} */
const MODES = [
  ["slider", "Slider"],
  ["pair", "Side by side"],
  ["difference", "Difference"],
];

/**
 * @typedef {object} Pictures
 * @property {string | HTMLImageElement | HTMLVideoElement | undefined} before undefined where the original is not on this page
 * @property {string | undefined} after undefined where there is no result yet
 * @property {number} width
 * @property {number} height
 */

/**
 * @typedef {object} Ports what makes visible that this browser cannot show by itself
 * @property {() => Promise<void>} onOriginal
 * @property {() => Promise<void>} onResult
 */

/**
 * `{ element, show(pictures), markOld(isOld), clear() }`
 * @param {Ports} ports
 */
export function createCompare({ onOriginal, onResult }) {
  const stage = h("div", { class: "stage" });
  const label = "Pictures: plus and minus zoom, 0 fits them in, O shows the original";
  const frame = h("div", { class: "frame", tabindex: 0, role: "region", "aria-label": label }, stage);
  const zoom = zoomOf(stage, frame);
  const modes = modesOf(stage, frame);
  const tools = h("div", { class: "tools", role: "group", "aria-label": "View" }, modes, zoom.element);
  const note = h("div", {});
  const parts = divider(stage);
  const element = h("div", { class: "compare", hidden: true }, tools, frame, note);
  let shape = 0;
  let shows = 0;
  return {
    element,
    clear: () => {
      shows += 1;
      element.hidden = true;
      stage.replaceChildren();
      shape = 0;
    },
    markOld: (/** @type {boolean} */ isOld) => element.classList.toggle("old", isOld),
    show: async (/** @type {Pictures} */ { before, after, width, height }) => {
      const mine = ++shows;
      const [original, result] = await Promise.all([decoded(before), decoded(after)]);
      if (mine !== shows) return; // something else is on show by now
      if (original) name(original, "The original", "original");
      if (result) name(result, "The result", "result");
      const pictures = [original, result].filter((image) => image !== null);
      const children = [...pictures, ...(pictures.length === 2 ? parts : [])];
      // What stays is not taken out: a large original would have to be drawn anew.
      if (original && stage.firstChild === original) {
        while (stage.lastChild !== original) stage.lastChild?.remove();
        stage.append(...children.slice(1));
      } else stage.replaceChildren(...children);
      stage.style.setProperty("--ratio", `${width} / ${height}`);
      stage.style.setProperty("--pixels", `${width / devicePixelRatio}px`);
      if (Math.abs(width / height / shape - 1) > SAME_SHAPE) zoom.fit();
      shape = width / height;
      modes.hidden = pictures.length < 2;
      const isUnseen = after !== undefined && result === null;
      tools.hidden = frame.hidden = pictures.length === 0 || isUnseen;
      fill(
        note,
        isUnseen && offer(NO_RESULT, "Show it as PNG", onResult),
        result !== null && original === null && offer(NO_ORIGINAL, "Show the original too", onOriginal),
      );
      element.classList.remove("old");
      element.hidden = false;
    },
  };
}

/**
 * @param {HTMLImageElement | HTMLVideoElement} picture
 * @param {string} text what it is, for who does not see it
 * @param {"original" | "result"} part
 */
function name(picture, text, part) {
  picture.className = `picture ${part}`;
  picture.setAttribute(picture instanceof HTMLImageElement ? "alt" : "aria-label", text);
}

/**
 * The decoded image, or a film that plays; null where there is none, or this browser knows no such format.
 * @param {string | HTMLImageElement | HTMLVideoElement | undefined} url
 */
async function decoded(url) {
  if (!url) return null;
  if (typeof url !== "string") return url;
  const image = h("img", { src: url, alt: "", draggable: "false" });
  return image.decode().then(
    () => image,
    () => filmAt(url),
  );
}

/**
 * A film without sound, which goes on as animations do; it stands still where no motion is wanted.
 * @param {string} url
 * @returns {Promise<HTMLVideoElement | null>}
 */
function filmAt(url) {
  const { promise, resolve } = /** @type {PromiseWithResolvers<HTMLVideoElement | null>} */ (Promise.withResolvers());
  const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const film = h("video", { loop: true, playsinline: true, autoplay: !isStill, preload: "auto" });
  // As an attribute it says only how a film begins.
  film.muted = true;
  film.addEventListener("loadeddata", () => resolve(film));
  film.addEventListener("error", () => resolve(null));
  film.src = url;
  return promise;
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
 * How two pictures are compared, and the original alone as long as a button or a key is held.
 * @param {HTMLElement} stage
 * @param {HTMLElement} frame
 */
function modesOf(stage, frame) {
  /** @type {HTMLButtonElement[]} */
  const buttons = MODES.map(([mode, label], index) => {
    const button = h("button", { type: "button", class: "quiet small", "aria-pressed": String(index === 0) }, label);
    button.addEventListener("click", () => {
      for (const [name] of MODES) stage.classList.toggle(name, name === mode);
      for (const one of buttons) one.setAttribute("aria-pressed", String(one === button));
    });
    return button;
  });
  const peek = (/** @type {boolean} */ isHeld) => () => stage.classList.toggle("peek", isHeld);
  const hold = h(
    "button",
    {
      type: "button",
      class: "quiet small",
      "aria-label": "Show the original while this is held",
      onpointerdown: peek(true),
      onblur: peek(false),
    },
    "Original",
  );
  for (const name of ["pointerup", "pointerleave", "pointercancel"]) hold.addEventListener(name, peek(false));
  for (const target of [hold, frame]) {
    target.addEventListener("keydown", ({ key }) => {
      if (key === "o" || (target === hold && key === " ")) peek(true)();
    });
    target.addEventListener("keyup", peek(false));
  }
  return h("span", { class: "modes" }, buttons, hold);
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
  let isFollowing = false;
  const follow = (/** @type {PointerEvent} */ event) => {
    const { left, width } = stage.getBoundingClientRect();
    range.value = String(((event.clientX - left) / width) * 100);
    place();
  };
  stage.addEventListener("pointerdown", (event) => {
    const isSlider = range.isConnected && !stage.matches(".pair, .difference");
    if (!isSlider || event.button !== 0 || isMoved(stage, event)) return;
    isFollowing = true;
    stage.setPointerCapture(event.pointerId);
    follow(event);
  });
  stage.addEventListener("pointermove", (event) => {
    if (isFollowing) follow(event);
  });
  for (const name of ["pointerup", "pointercancel"]) stage.addEventListener(name, () => (isFollowing = false));
  return [
    range,
    h("span", { class: "handle", "aria-hidden": "true" }),
    h("span", { class: "tag before", "aria-hidden": "true" }, "Original"),
    h("span", { class: "tag after", "aria-hidden": "true" }, "Result"),
  ];
}
