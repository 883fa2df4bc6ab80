/**
 * Settings made on the picture itself: a cut, what is to stay in the middle, where words and watermarks go. All of it is done
 * with the pointer or with the keyboard alone.
 */
import { fill, h } from "./dom.js";
import { TOOLS } from "./editor-tools.js";
import { movedBy, resizedBy, within } from "./regions.js";

/**
 * @import { Region, Corner } from "./regions.js"
 * @import { Tool } from "./editor-tools.js"
 * @import { UploadBody } from "./shapes.d.ts"
 *
 * @typedef {object} Drawn the picture as it is before a tool's own operation
 * @property {HTMLImageElement} image
 * @property {number} width in its own pixels, not those of the image that shows it
 * @property {number} height
 * @property {Promise<Seen | undefined>} seen
 *
 * @typedef {object} Seen what the service sees in it, in shares of its sides
 * @property {readonly Region[]} faces
 * @property {{ x: number, y: number } | undefined} focus
 *
 * @typedef {object} EditorPorts
 * @property {() => UploadBody} read
 * @property {(body: UploadBody, isDone: boolean) => void} write
 * @property {(before: UploadBody) => Promise<Drawn | undefined>} draw undefined where nothing can be shown
 * @property {(isOpen: boolean) => void} onToggle
 * @property {(error: unknown) => void} onError
 */

/** Shares of a side that a key moves. */
const STEP = 0.01;
/** What is dragged smaller than nothing stays a tenth of what it was. */
const LEAST_STEP = -0.9;
/** @type {readonly Corner[]} */
const CORNERS = ["top-left", "top-right", "bottom-left", "bottom-right"];
/** @type {Readonly<Record<string, readonly [across: number, down: number]>>} */
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/** Tools, and the board that one of them is used on. */
export class Editor {
  /** @type {EditorPorts} */
  #ports;
  #buttons = TOOLS.map((tool) => {
    const onclick = () => void (this.#tool === tool ? this.#done() : this.#open(tool));
    return h("button", { type: "button", class: "quiet small", "aria-pressed": "false", onclick }, tool.name);
  });
  #words = h("span", { class: "words", "aria-hidden": "true" });
  #region = h(
    "button",
    { type: "button", class: "region", "aria-describedby": "editor-hint" },
    this.#words,
    CORNERS.map(cornerOf),
  );
  #marks = h("div", { class: "seen", "aria-hidden": "true" });
  #board = h("div", { class: "board" });
  #hint = h("p", { id: "editor-hint", class: "hint" });
  #said = h("output", { class: "place" });
  #panel = h("div", { class: "editor", hidden: true });
  /** @type {Tool | undefined} */
  #tool;
  #another = h("button", { type: "button", class: "quiet small", onclick: () => this.#addAnother() }, "Add another");
  /** @type {UploadBody} */
  #before = {};
  /** @type {Region} */
  #at = { x: 0, y: 0, width: 1, height: 1 };
  #size = { width: 1, height: 1 };

  /** Buttons that open a tool. */
  bar = h("div", { class: "on-picture", role: "group", "aria-label": "On the picture", hidden: true }, this.#buttons);

  /** @param {EditorPorts} ports */
  constructor(ports) {
    this.#ports = ports;
    const button = (/** @type {string} */ name, /** @type {() => void} */ onclick, kind = "quiet small") =>
      h("button", { type: "button", class: kind, onclick }, name);
    const actions = h(
      "p",
      { class: "actions" },
      button("Done", () => this.#done(), "primary small"),
      this.#another,
      button("Cancel", () => this.#cancel()),
      button("Remove", () => this.#remove()),
    );
    this.#panel.append(this.#hint, this.#board, this.#said, actions);
    this.#region.addEventListener("keydown", (event) => this.#press(event));
    this.#panel.addEventListener("keydown", ({ key }) => key === "Escape" && this.#cancel());
    this.#followPointer();
  }

  get element() {
    return this.#panel;
  }

  /**
   * Closes what is open, keeping nothing of it.
   * @param {boolean} canDraw whether there is a picture to draw on
   */
  clear(canDraw) {
    this.bar.hidden = !canDraw;
    if (this.#tool) this.#close();
  }

  /** @param {Tool} tool */
  async #open(tool) {
    const body = this.#ports.read();
    const missing = tool.missing?.(body);
    if (missing !== undefined) return this.#ports.onError(new Error(missing));
    this.#tool = tool;
    this.#before = body;
    this.#mark();
    const earlier = Object.entries(body).filter(([name]) => tool.before.includes(name));
    const drawn = await this.#ports.draw(/** @type {UploadBody} */ (Object.fromEntries(earlier))).catch((error) => {
      this.#ports.onError(error);
      return undefined;
    });
    if (this.#tool !== tool) return;
    if (!drawn) return this.#close();
    this.#size = { width: drawn.width, height: drawn.height };
    this.#at = tool.read(body, this.#size);
    this.#another.hidden = !tool.another;
    drawn.image.alt = "The picture that is drawn on";
    drawn.image.draggable = false;
    fill(this.#board, drawn.image, this.#marks, this.#region);
    this.#board.style.setProperty("--ratio", `${drawn.width} / ${drawn.height}`);
    this.#region.className = `region ${tool.kind} ${tool.id}`;
    this.#showOthers();
    this.#hint.textContent = tool.hint;
    this.#panel.hidden = false;
    this.#ports.onToggle(true);
    // What is seen to be covered is, without being moved first.
    if (tool.another) this.#set(this.#at);
    else this.#place();
    this.#region.focus({ preventScroll: true });
    this.#showSeen(tool, await drawn.seen);
  }

  /**
   * @param {Tool} tool
   * @param {Seen | undefined} seen
   */
  #showSeen(tool, seen) {
    if (this.#tool !== tool || tool.kind === "box" || !seen) return;
    const faces = seen.faces.map((face) => placed(h("span", { class: "face" }), face));
    const point = seen.focus && placed(h("span", { class: "drawn-by" }), { ...seen.focus, width: 0, height: 0 });
    this.#showOthers(faces, point);
    const words = [
      faces.length > 0 && (faces.length === 1 ? "One face is drawn." : `${faces.length} faces are drawn.`),
      point && "The small ring is what stands out most.",
    ];
    this.#hint.textContent = [tool.hint, ...words].filter(Boolean).join(" ");
  }

  /** @param {unknown[]} seen what the service sees in the picture */
  #showOthers(...seen) {
    const others = this.#tool?.others?.(this.#ports.read(), this.#size) ?? [];
    const covers = others.map((region) => placed(h("span", { class: "covered" }), region));
    fill(this.#marks, covers, .../** @type {any[]} */ (seen));
  }

  #addAnother() {
    const tool = this.#tool;
    if (!tool?.another) return;
    this.#ports.write(tool.another(this.#ports.read()), false);
    this.#at = tool.read(this.#ports.read(), this.#size);
    this.#showOthers();
    this.#place();
    this.#region.focus({ preventScroll: true });
  }

  #done() {
    this.#ports.write(this.#ports.read(), true);
    this.#close();
  }

  #cancel() {
    this.#ports.write(this.#before, true);
    this.#close();
  }

  #remove() {
    if (this.#tool) this.#ports.write(this.#tool.remove(this.#ports.read()), true);
    this.#close();
  }

  #close() {
    const index = TOOLS.findIndex((tool) => tool === this.#tool);
    this.#tool = undefined;
    this.#mark();
    const hadFocus = this.#panel.contains(document.activeElement);
    this.#panel.hidden = true;
    this.#ports.onToggle(false);
    if (hadFocus) this.#buttons[index]?.focus();
  }

  #mark() {
    for (const [index, one] of this.#buttons.entries()) {
      one.setAttribute("aria-pressed", String(TOOLS[index] === this.#tool));
    }
  }

  /** @param {KeyboardEvent} event */
  #press(event) {
    const tool = this.#tool;
    const arrow = ARROWS[event.key];
    if (!tool) return;
    if (event.key === "Enter") {
      event.preventDefault();
      return this.#done();
    }
    if (!arrow || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const [across, down] = [arrow[0] * STEP, arrow[1] * STEP];
    if (!event.shiftKey) return this.#set(movedBy(this.#at, across, down));
    if (tool.kind === "region") return this.#set(this.#resized("bottom-right", across, down));
    if (!tool.grow) return;
    this.#ports.write(tool.grow(this.#ports.read(), (across || -down) * 10), false);
    this.#at = tool.read(this.#ports.read(), this.#size);
    this.#place();
  }

  /**
   * @param {Corner} corner
   * @param {number} across
   * @param {number} down
   * @param {Region} [from]
   */
  #resized(corner, across, down, from = this.#at) {
    const shape = this.#tool?.shape?.(this.#before, this.#size);
    return resizedBy(from, corner, { across, down, shape });
  }

  /**
   * What grows with its own setting keeps the corner that is not held.
   * @param {{ at: Region, body: UploadBody }} from what it was
   * @param {number} step by which share it is larger now
   */
  #growTo({ at, body }, step) {
    const tool = this.#tool;
    if (!tool?.grow) return;
    this.#ports.write(tool.grow(tool.write(body, at, this.#size), Math.max(step, LEAST_STEP)), false);
    this.#at = tool.read(this.#ports.read(), this.#size);
    this.#place();
  }

  /** @param {Region} region */
  #set(region) {
    this.#at = region;
    if (this.#tool) this.#ports.write(this.#tool.write(this.#ports.read(), region, this.#size), false);
    this.#place();
  }

  #place() {
    placed(this.#region, this.#at);
    const { text, share } = this.#tool?.words?.(this.#ports.read(), this.#size) ?? { text: "", share: 0 };
    this.#words.textContent = text;
    this.#words.style.setProperty("--letters", String(share * 100));
    const [x, y] = [this.#at.x * this.#size.width, this.#at.y * this.#size.height].map(Math.round);
    const [width, height] = [this.#at.width * this.#size.width, this.#at.height * this.#size.height].map(Math.round);
    const sides = this.#tool?.kind === "region" ? `${width} × ${height}, ` : "";
    this.#said.textContent = `${sides}${x} from the left, ${y} from the top`;
    this.#region.setAttribute("aria-label", `${this.#tool?.noun}: ${this.#said.textContent}`);
  }

  #followPointer() {
    /** @type {{ x: number, y: number, at: Region, corner: Corner | undefined, body: UploadBody, width: number } | undefined} */
    let from;
    const shareOf = (/** @type {PointerEvent} */ { clientX, clientY }) => {
      const { left, top, width, height } = this.#board.getBoundingClientRect();
      return { x: within((clientX - left) / width, 0, 1), y: within((clientY - top) / height, 0, 1) };
    };
    this.#board.addEventListener("pointerdown", (event) => {
      const isHeld = event.target instanceof Node && this.#region.contains(event.target);
      const isPoint = this.#tool?.kind === "point";
      if (event.button !== 0 || (!isHeld && !isPoint)) return;
      event.preventDefault();
      this.#board.setPointerCapture(event.pointerId);
      const start = shareOf(event);
      if (isPoint) this.#set({ ...start, width: 0, height: 0 });
      const corner = event.target instanceof HTMLElement ? event.target.dataset["corner"] : undefined;
      from = {
        ...start,
        at: this.#at,
        corner: CORNERS.find((name) => name === corner),
        body: this.#ports.read(),
        width: this.#region.offsetWidth / this.#board.offsetWidth,
      };
      this.#region.focus({ preventScroll: true });
    });
    this.#board.addEventListener("pointermove", (event) => {
      if (!from) return;
      const { x, y } = shareOf(event);
      const [across, down] = [x - from.x, y - from.y];
      if (from.corner && this.#tool?.grow) return this.#growTo(from, across / from.width);
      this.#set(from.corner ? this.#resized(from.corner, across, down, from.at) : movedBy(from.at, across, down));
    });
    for (const name of ["pointerup", "pointercancel"]) this.#board.addEventListener(name, () => (from = undefined));
  }
}

/** @param {Corner} corner */
function cornerOf(corner) {
  return h("span", { class: `corner ${corner}`, "data-corner": corner, "aria-hidden": "true" });
}

/**
 * @template {HTMLElement} T
 * @param {T} element
 * @param {Region} region
 */
function placed(element, { x, y, width, height }) {
  for (const [name, share] of Object.entries({ x, y, width, height })) {
    element.style.setProperty(`--${name}`, `${share * 100}%`);
  }
  return element;
}
