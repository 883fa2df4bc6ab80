/** How large pictures are shown: fitted, or so many screen pixels for one of theirs; by buttons and by keys. */
import { h } from "./dom.js";

/** 0 fits the picture into its frame. */
const LEVELS = [0, 1, 2, 4];

/**
 * Buttons for a stage, and its keys: plus, minus, and 0 to fit.
 * @param {HTMLElement} stage
 * @param {HTMLElement} frame what scrolls around the stage
 */
export function zoomOf(stage, frame) {
  let level = 0;
  const whole = button("100 %", "100 %");
  const [less, more] = [button("−", "Zoom out"), button("+", "Zoom in")];
  const set = (/** @type {number} */ wanted) => {
    const [across, down] = middleOf(frame);
    level = Math.min(Math.max(wanted, 0), LEVELS.length - 1);
    const scale = LEVELS[level] ?? 0;
    stage.classList.toggle("whole-pixels", scale > 0);
    stage.style.setProperty("--zoom", String(scale || 1));
    whole.textContent = scale > 1 ? `${scale * 100} %` : "100 %";
    whole.setAttribute("aria-label", scale > 1 ? `${scale * 100} %, back to the whole picture` : "100 %");
    whole.setAttribute("aria-pressed", String(scale > 0));
    less.disabled = level === 0;
    more.disabled = level === LEVELS.length - 1;
    frame.scrollTo(
      frame.scrollWidth * across - frame.clientWidth / 2,
      frame.scrollHeight * down - frame.clientHeight / 2,
    );
  };
  whole.addEventListener("click", () => set(level === 0 ? 1 : 0));
  less.addEventListener("click", () => set(level - 1));
  more.addEventListener("click", () => set(level + 1));
  frame.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "+" || event.key === "=") set(level + 1);
    else if (event.key === "-") set(level - 1);
    else if (event.key === "0") set(0);
    else return;
    event.preventDefault();
  });
  set(0);
  return h("span", { class: "zoom" }, less, whole, more);
}

/**
 * @param {string} text
 * @param {string} name
 */
function button(text, name) {
  return h("button", { type: "button", class: "quiet small", "aria-label": name }, text);
}

/**
 * What is in the middle of the frame, as shares of width and height: it stays there.
 * @param {HTMLElement} frame
 */
function middleOf({ scrollLeft, scrollTop, clientWidth, clientHeight, scrollWidth, scrollHeight }) {
  return [(scrollLeft + clientWidth / 2) / (scrollWidth || 1), (scrollTop + clientHeight / 2) / (scrollHeight || 1)];
}
