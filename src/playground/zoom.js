/**
 * How large pictures are shown: fitted, or so many screen pixels for one of theirs; by buttons, keys, the wheel with Ctrl, and
 * two fingers. A picture that is larger than its frame is moved by dragging it.
 */
import { h } from "./dom.js";

/** 0 fits the picture into its frame. */
const LEVELS = [0, 1, 2, 4, 8];
/** From here on single pixels have edges. */
const GRID_LEVEL = 4;
/** The way of a wheel, or of two fingers, to the next level. */
const WHEEL_STEP = 60;
const PINCH_STEP = 1.5;

/**
 * `{ element, fit() }`: buttons for a stage, and its keys: plus, minus, and 0 to fit.
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
    stage.classList.toggle("pixel-grid", level >= GRID_LEVEL);
    stage.style.setProperty("--zoom", String(scale || 1));
    stage.style.setProperty("--pixel", `${scale / devicePixelRatio}px`);
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
  followWheel(frame, (step) => set(level + step));
  followFingers(stage, (step) => set(level + step));
  followDrag(stage, frame);
  set(0);
  return { element: h("span", { class: "zoom" }, less, whole, more), fit: () => set(0) };
}

/**
 * A trackpad's pinch comes as a wheel with Ctrl; the wheel alone scrolls, as everywhere.
 * @param {HTMLElement} frame
 * @param {(step: 1 | -1) => void} onStep
 */
function followWheel(frame, onStep) {
  let way = 0;
  frame.addEventListener(
    "wheel",
    (event) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      way += event.deltaY;
      if (Math.abs(way) < WHEEL_STEP) return;
      onStep(way < 0 ? 1 : -1);
      way = 0;
    },
    { passive: false },
  );
}

/**
 * @param {HTMLElement} stage
 * @param {(step: 1 | -1) => void} onStep
 */
function followFingers(stage, onStep) {
  /** @type {Map<number, { x: number, y: number }>} */
  const fingers = new Map();
  let apart = 0;
  const distance = () => {
    const [one, other] = [...fingers.values()];
    return one && other ? Math.hypot(one.x - other.x, one.y - other.y) : 0;
  };
  const note = (/** @type {PointerEvent} */ { pointerId, clientX, clientY }) =>
    fingers.set(pointerId, { x: clientX, y: clientY });
  stage.addEventListener("pointerdown", (event) => {
    if (event.pointerType !== "touch") return;
    note(event);
    apart = distance();
  });
  stage.addEventListener("pointermove", (event) => {
    if (!fingers.has(event.pointerId)) return;
    note(event);
    if (fingers.size !== 2 || apart === 0) return;
    const ratio = distance() / apart;
    if (ratio < PINCH_STEP && ratio > 1 / PINCH_STEP) return;
    onStep(ratio > 1 ? 1 : -1);
    apart = distance();
  });
  for (const name of /** @type {const} */ (["pointerup", "pointercancel", "pointerleave"])) {
    stage.addEventListener(name, (event) => fingers.delete(event.pointerId));
  }
}

/**
 * @param {HTMLElement} stage
 * @param {HTMLElement} frame
 */
function followDrag(stage, frame) {
  stage.addEventListener("pointerdown", (event) => {
    if (!isMoved(stage, event) || event.pointerType === "touch" || event.button !== 0) return;
    stage.setPointerCapture(event.pointerId);
    stage.classList.add("moving");
  });
  stage.addEventListener("pointermove", (event) => {
    if (stage.classList.contains("moving")) frame.scrollBy(-event.movementX, -event.movementY);
  });
  for (const name of /** @type {const} */ (["pointerup", "pointercancel"])) {
    stage.addEventListener(name, () => stage.classList.remove("moving"));
  }
}

/**
 * Whether a drag moves the picture: it is larger than its frame, and the divider has a handle of its own.
 * @param {HTMLElement} stage
 * @param {Event} event
 */
export function isMoved(stage, { target }) {
  return stage.classList.contains("whole-pixels") && !(target instanceof Element && target.matches(".handle"));
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
