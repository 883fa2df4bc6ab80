/** What is seen of many files: a row for each, and what can be done with all of them. */
import { bytesText, copyButton, fill, h } from "./dom.js";

/**
 * @import { KeptFile } from "./kept-files.js"
 *
 * @typedef {object} BatchPorts
 * @property {(file: File) => void} onOpen one of them is wanted on the stage
 * @property {() => void} onStop
 * @property {() => void} onAgain all of them, with the settings as they are now
 * @property {() => void} onPage all of them, in the widths and formats of a page
 * @property {() => Promise<void>} onZip
 * @property {() => void} onClear
 * @property {() => string} html
 */

/** The table of many files. */
export class BatchTable {
  #ports;
  /** @type {Map<string, ReturnType<BatchTable["rowOf"]>>} */
  #rows = new Map();
  #status = h("p", { class: "status", role: "status", "aria-live": "polite" });
  #progress = h("progress", { "aria-label": "Files that are done" });
  #body = h("tbody");
  #stop = this.#button("Stop", () => this.#ports.onStop());
  #again = this.#button("Again with the settings as they are", () => this.#ports.onAgain());
  #page = this.#button("Make a srcset of each", () => this.#ports.onPage());
  #zip = this.#button("Download ZIP", () => void this.#download(), "primary small");
  #html;
  #problem = h("p", { class: "field-error", role: "alert" });

  element = h("section", { class: "batch", "aria-labelledby": "batch-title", hidden: true });

  /** @param {BatchPorts} ports */
  constructor(ports) {
    this.#ports = ports;
    this.#html = copyButton(() => ports.html(), "of all pictures", "Copy srcset HTML");
    const heads = ["File", "Original", "Result", "Bytes", "Saved", "Score"].map((name) =>
      h("th", { scope: "col" }, name),
    );
    const clear = this.#button("Clear", () => ports.onClear());
    fill(
      this.element,
      h("div", { class: "heading" }, h("h2", { id: "batch-title" }, "Many files"), clear),
      this.#status,
      this.#progress,
      h("p", { class: "actions" }, this.#zip, this.#html, this.#page, this.#again, this.#stop),
      this.#problem,
      h(
        "div",
        { class: "set-table", tabindex: 0, role: "region", "aria-label": "Table of files" },
        h("table", {}, h("thead", {}, h("tr", {}, heads)), this.#body),
      ),
      h("p", { class: "hint" }, "This browser keeps the list, the files and the results until they are cleared."),
    );
  }

  /**
   * @param {readonly KeptFile[]} files
   * @param {{ isRunning: boolean }} state
   */
  show(files, { isRunning }) {
    this.element.hidden = files.length === 0;
    for (const file of files) {
      const row = this.#rows.get(file.id) ?? this.rowOf(file);
      this.#rows.set(file.id, row);
      row.write(file);
    }
    this.#body.replaceChildren(...files.flatMap(({ id }) => this.#rows.get(id)?.element ?? []));
    const done = files.filter(({ made }) => made);
    const settled = done.length + files.filter(({ failed }) => failed !== undefined).length;
    this.#progress.max = Math.max(1, files.length);
    this.#progress.value = settled;
    this.#progress.hidden = !isRunning;
    this.#status.textContent = summaryOf(files);
    this.#stop.hidden = !isRunning;
    this.#again.hidden = this.#page.hidden = isRunning;
    this.#zip.disabled = done.length === 0;
    this.#html.hidden = !files.some(({ html }) => html);
    this.#page.hidden ||= !this.#html.hidden;
  }

  /**
   * @param {string} id
   * @param {string} text what happens with a file
   */
  tell(id, text) {
    this.#rows.get(id)?.tell(text);
  }

  /** @param {KeptFile} file */
  rowOf({ name, bytes }) {
    /** @type {File | undefined} */
    let original;
    const open = h("button", { type: "button", class: "link", "aria-label": `Show ${name} on the stage` }, name);
    open.addEventListener("click", () => original && this.#ports.onOpen(original));
    const cells = Array.from({ length: 4 }, () => h("td"));
    const said = h("td", { colspan: 4, class: "hint" }, "Waiting");
    const element = h("tr", {}, h("th", { scope: "row" }, open), h("td", {}, bytesText(bytes)), said);
    const put = (/** @type {HTMLElement[]} */ ...last) => {
      while (element.children.length > 2) element.lastChild?.remove();
      element.append(...last);
    };
    const tell = (/** @type {string} */ text) => {
      said.textContent = text;
      put(said);
    };
    return {
      element,
      tell,
      write: (/** @type {KeptFile} */ { file, made, failed }) => {
        original = file;
        open.disabled = file === undefined;
        if (failed !== undefined) tell(failed);
        else if (!file && !made) tell("Too large to be kept over a reload: choose it again");
        if (!made) return;
        cells.forEach((cell, index) => (cell.textContent = textsOf(made, bytes)[index] ?? ""));
        put(...cells);
      },
    };
  }

  async #download() {
    this.#problem.textContent = "";
    try {
      await this.#ports.onZip();
    } catch (error) {
      this.#problem.textContent = error instanceof Error ? error.message : String(error);
    }
  }

  /**
   * @param {string} name
   * @param {() => void} onclick
   * @param {string} [kind]
   */
  #button(name, onclick, kind = "quiet small") {
    return h("button", { type: "button", class: kind, onclick }, name);
  }
}

/**
 * @param {NonNullable<KeptFile["made"]>} made
 * @param {number} original bytes
 */
function textsOf(made, original) {
  const bytes = made.reduce((sum, { blob }) => sum + blob.size, 0);
  const [one] = made;
  if (made.length !== 1 || !one) return [`${made.length} files`, bytesText(bytes), "–", "–"];
  const saved = `${Math.round((1 - bytes / original) * 100)} %`.replace("-", "−");
  const score = one.score === undefined ? "–" : String(Math.round(one.score));
  return [`${one.format}, ${one.width}\u00a0×\u00a0${one.height}`, bytesText(bytes), saved, score];
}

/** @param {readonly KeptFile[]} files */
function summaryOf(files) {
  const done = files.filter(({ made }) => made);
  const failed = files.filter((file) => file.failed !== undefined).length;
  const before = done.reduce((sum, { bytes }) => sum + bytes, 0);
  const after = done.flatMap(({ made }) => made ?? []).reduce((sum, { blob }) => sum + blob.size, 0);
  const saved = before > 0 ? `: ${bytesText(before)} became ${bytesText(after)}` : "";
  return `${done.length} of ${files.length} done${saved}${failed > 0 ? `; ${failed} failed` : ""}.`;
}
