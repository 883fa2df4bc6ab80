/** Several results of one original: a table of pictures and sizes, and which of them this browser takes for a page. */
import { bytesText, copyButton, fill, h } from "./dom.js";

/**
 * @import { SetOutput, SetSuccess } from "./shapes.d.ts"
 * @typedef {[name: string, output: SetOutput]} Named
 */

/** CSS pixels of the narrowest picture that a page is asked to show, and by how much wider the next is. */
const LEAST_WIDTH = 80;
const STEP = 20;
/** Pages are seldom wider. */
const MOST_WIDTH = 1600;

/** `{ element, clear(), show(answer) }` */
export function createSet() {
  const element = h("section", { class: "set", "aria-labelledby": "set-title", hidden: true });
  const clear = () => {
    element.hidden = true;
    element.replaceChildren();
  };
  return {
    element,
    clear,
    /** @param {SetSuccess} answer */
    show: (answer) => {
      const named = Object.entries(answer.outputs);
      const cells = new Map(named.map((one) => [one[1].url, cellOf(one)]));
      const bytes = named.reduce((sum, [, output]) => sum + output.bytes, 0);
      const { srcset, html } = answer;
      fill(
        element,
        h(
          "div",
          { class: "heading" },
          h("h2", { id: "set-title" }, "Results"),
          html !== undefined && copyButton(() => html, "of the picture", "Copy HTML"),
        ),
        h("p", { class: "hint" }, `${named.length} files, ${bytesText(bytes)}${skippedText(answer)}`),
        h(
          "div",
          { class: "set-table", tabindex: 0, role: "region", "aria-label": "Files" },
          srcset ? tableOfWidths(named, Object.keys(srcset), cells) : tableOfNames(named, cells),
        ),
        srcset && choiceOf(srcset, named, cells),
      );
      element.hidden = false;
    },
  };
}

/** @param {SetSuccess} answer */
function skippedText({ skipped }) {
  return skipped ? `; the original is narrower than ${skipped.join(", ")}` : "";
}

/**
 * What a table says of a file, which is also the way to it.
 * @param {Named} named
 */
function cellOf([name, { url, name: file, bytes, score }]) {
  const link = h(
    "a",
    { href: url, download: file, title: file, "aria-label": `Download ${name}, ${bytesText(bytes)}` },
    bytesText(bytes),
  );
  const taken = h("span", { class: "taken", hidden: true }, "taken here");
  const cell = h("td", {}, link, score !== undefined && h("small", {}, `score ${Math.round(score)}`), taken);
  return {
    element: cell,
    mark: (/** @type {boolean} */ isTaken) => {
      taken.hidden = !isTaken;
      cell.classList.toggle("is-taken", isTaken);
    },
  };
}

/** @typedef {Map<string, ReturnType<typeof cellOf>>} Cells by address */

/**
 * A row for each width, a column for each format.
 * @param {Named[]} named
 * @param {string[]} formats
 * @param {Cells} cells
 */
function tableOfWidths(named, formats, cells) {
  const rows = [...Map.groupBy(named, ([name]) => name.split(".")[0]).values()].map((alike) => {
    const last = alike.at(-1)?.[1];
    const own = formats.map((format) => alike.find(([name]) => name.endsWith(`.${format}`))?.[1]);
    return h(
      "tr",
      {},
      last && pictureCell(last),
      h("th", { scope: "row" }, last && `${last.width} × ${last.height}`),
      own.map((output) => (output && cells.get(output.url)?.element) ?? h("td", {}, "–")),
    );
  });
  return table(["Picture", "Size", ...formats.map((format) => format.toUpperCase())], rows);
}

/**
 * @param {Named[]} named
 * @param {Cells} cells
 */
function tableOfNames(named, cells) {
  const rows = named.map(([name, output]) => {
    const { width, height, format } = output;
    return h(
      "tr",
      {},
      pictureCell(output),
      h("th", { scope: "row" }, name),
      h("td", {}, `${width} × ${height}`),
      h("td", {}, format),
      cells.get(output.url)?.element,
    );
  });
  return table(["Picture", "Name", "Size", "Format", "Bytes"], rows);
}

/**
 * @param {string[]} heads
 * @param {HTMLElement[]} rows
 */
function table(heads, rows) {
  return h(
    "table",
    {},
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        heads.map((head) => h("th", { scope: "col" }, head)),
      ),
    ),
    h("tbody", {}, rows),
  );
}

/** @param {SetOutput} output */
function pictureCell({ url, width, height }) {
  const picture = h("img", { src: url, width, height, alt: "", loading: "lazy" });
  picture.addEventListener("error", () => picture.remove()); // a format that this browser does not know, or another host
  return h("td", { class: "set-picture" }, picture);
}

/**
 * The picture as a page would show it, at a width of choice: what this browser takes for it is marked in the table.
 * @param {Readonly<Record<string, string>>} srcset
 * @param {Named[]} named
 * @param {Cells} cells
 */
function choiceOf(srcset, named, cells) {
  const most = Math.min(MOST_WIDTH, Math.max(LEAST_WIDTH + STEP, ...named.map(([, { width }]) => width)));
  const value = Math.round(Math.min(most, (LEAST_WIDTH + most) / 2) / STEP) * STEP;
  const slider = h("input", { id: "set-width", type: "range", min: LEAST_WIDTH, max: most, step: STEP, value });
  const said = h("p", { class: "hint", role: "status", "aria-live": "polite" });
  const place = h("div", { class: "set-page" });
  const show = () => {
    const width = Number(slider.value);
    const image = h("img", { alt: "The picture as a page shows it" });
    const tell = () => {
      if (!place.contains(image)) return;
      const [name, output] = named.find(([, { url }]) => unseen(url, width) === image.currentSrc) ?? [];
      for (const [url, cell] of cells) cell.mark(url === output?.url);
      const screen = `At ${width} CSS pixels and a device pixel ratio of ${round(devicePixelRatio)}`;
      said.textContent = output
        ? `${screen} this browser takes ${name}: ${bytesText(output.bytes)}.`
        : `${screen} this browser takes none of these files.`;
    };
    image.addEventListener("load", tell);
    image.addEventListener("error", tell);
    fill(place, pictureElement(srcset, width, image));
    image.style.width = `${width}px`;
  };
  slider.addEventListener("change", show);
  show();
  return h(
    "div",
    { class: "set-choice" },
    h("h3", {}, "What this browser takes"),
    h("div", { class: "field" }, h("label", { for: "set-width" }, "Width on the page"), slider),
    said,
    place,
  );
}

/**
 * The address of a file as one that this browser has not seen: it takes a larger file where it has that already, which the
 * visitor of a page has not.
 * @param {string} url
 * @param {number} width
 */
function unseen(url, width) {
  return `${url}?at=${width}`;
}

/**
 * @param {Readonly<Record<string, string>>} srcset
 * @param {number} width
 * @param {HTMLImageElement} image
 */
function pictureElement(srcset, width, image) {
  const sizes = `${width}px`;
  const formats = Object.entries(srcset).map(([format, candidates]) => {
    return [format, candidates.replaceAll(/\S+(?= \d+w)/g, (url) => unseen(url, width))];
  });
  const sources = formats
    .slice(0, -1)
    .map(([format, value]) => h("source", { type: `image/${format}`, srcset: value, sizes }));
  image.sizes = sizes;
  image.srcset = formats.at(-1)?.[1] ?? "";
  return h("picture", {}, sources, image);
}

/** @param {number} ratio */
function round(ratio) {
  return Math.round(ratio * 100) / 100;
}
