/** What is to be processed: a file that was chosen, dropped or pasted, or an address. The last one given counts. */
import { byId, bytesText } from "./dom.js";

/** @import { Source } from "./shapes.d.ts" */

/**
 * `{ current() }`; `changed` is called with every new source.
 * @param {() => void} changed
 * @param {() => void} dropped called after it when the source is complete: an image that was chosen, dropped, pasted, or the sample
 */
export function createSource(changed, dropped) {
  const files = byId("file", HTMLInputElement);
  const address = byId("url", HTMLInputElement);
  /** @type {Source | undefined} */
  let source;
  /** @type {string | undefined} */
  let thumbnail;
  const set = (/** @type {Source | undefined} */ next) => {
    source = next;
    if (thumbnail) URL.revokeObjectURL(thumbnail);
    thumbnail = source?.file && URL.createObjectURL(source.file);
    if (source?.file) address.value = "";
    else files.value = "";
    showFile(source?.file, thumbnail);
    changed();
  };
  const drop = (/** @type {Source} */ next) => {
    set(next);
    dropped();
  };
  files.addEventListener("change", () => {
    const [file] = files.files ?? [];
    if (file) drop({ file });
  });
  address.addEventListener("input", () => {
    const url = address.value.trim();
    set(url === "" ? undefined : { url });
  });
  const useSample = () => void sampleFile().then((file) => drop({ file }));
  byId("sample").addEventListener("click", useSample);
  byId("try-sample").addEventListener("click", useSample);
  listenForDrops(drop);
  return { current: () => source };
}

async function sampleFile() {
  const answer = await fetch("/sample.jpg");
  return new File([await answer.blob()], "sample.jpg", { type: "image/jpeg" });
}

/**
 * @param {File | undefined} file
 * @param {string | undefined} thumbnail
 */
function showFile(file, thumbnail) {
  byId("drop-empty").hidden = file !== undefined;
  byId("drop-chosen").hidden = file === undefined;
  if (!file) return;
  const thumb = byId("thumb", HTMLImageElement);
  thumb.hidden = false;
  thumb.onerror = () => {
    thumb.hidden = true; // a format that this browser does not know
  };
  thumb.src = thumbnail ?? "";
  byId("chosen-name").textContent = file.name;
  byId("chosen-size").textContent = bytesText(file.size);
}

/** @param {(source: Source) => void} set */
function listenForDrops(set) {
  const zone = byId("drop");
  document.addEventListener("dragover", (event) => {
    event.preventDefault();
    zone.classList.add("over");
  });
  document.addEventListener("dragleave", (event) => {
    if (event.relatedTarget === null) zone.classList.remove("over");
  });
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    zone.classList.remove("over");
    take(event.dataTransfer, set);
  });
  document.addEventListener("paste", (event) => {
    const typing = event.target instanceof Element && event.target.matches("input, textarea");
    if ((event.clipboardData?.files.length ?? 0) > 0 || !typing) take(event.clipboardData, set);
  });
}

/**
 * @param {DataTransfer | null} data
 * @param {(source: Source) => void} set
 */
function take(data, set) {
  if (!data) return;
  const [file] = data.files;
  const text = data.getData("text/uri-list") || data.getData("text/plain");
  if (file) set({ file });
  else if (/^https?:\/\//.test(text.trim())) {
    byId("url", HTMLInputElement).value = text.trim();
    set({ url: text.trim() });
  }
}
