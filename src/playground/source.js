/** What is to be processed: a file that was chosen, dropped or pasted, or an address. The last one given counts. */
import { byId, bytesText } from "./dom.js";

/**
 * @import { Source } from "./shapes.d.ts"
 * @typedef {{ takeFiles: (files: readonly File[]) => void, drop: (source: Source) => void }} Takers
 */

/**
 * `{ current() }`; `changed` is called with every new source.
 * @param {() => void} changed
 * @param {() => void} dropped called after it when the source is complete: an image that was chosen, dropped, pasted, or the sample
 * @param {(files: readonly File[]) => void} several called instead of both where several came at once
 */
export function createSource(changed, dropped, several) {
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
  const takeFiles = (/** @type {readonly File[]} */ taken) => {
    const [file] = taken;
    if (taken.length > 1) several(taken);
    else if (file) drop({ file });
  };
  const folder = byId("folder", HTMLInputElement);
  files.addEventListener("change", () => takeFiles([...(files.files ?? [])]));
  folder.addEventListener("change", () => takeFiles([...(folder.files ?? [])].filter(isPicture)));
  address.addEventListener("input", () => {
    const url = address.value.trim();
    set(url === "" ? undefined : { url });
  });
  const useSample = () => void sampleFile().then((file) => drop({ file }));
  byId("sample").addEventListener("click", useSample);
  byId("try-sample").addEventListener("click", useSample);
  listenForDrops({ takeFiles, drop });
  return { current: () => source, take: (/** @type {File} */ file) => drop({ file }) };
}

/**
 * Whether a file of a folder is one to be sent: what else lies there is not.
 * @param {File} file
 */
function isPicture({ name, type }) {
  return type.startsWith("image/") || /\.(?:hei[cf]|jxl|jp2|tiff?|psd|avif|dng|pdf)$/i.test(name);
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

/** @param {Takers} takers */
function listenForDrops(takers) {
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
    void take(event.dataTransfer, takers);
  });
  document.addEventListener("paste", (event) => {
    const typing = event.target instanceof Element && event.target.matches("input, textarea");
    if ((event.clipboardData?.files.length ?? 0) > 0 || !typing) void take(event.clipboardData, takers);
  });
}

/**
 * @param {DataTransfer | null} data
 * @param {Takers} takers
 */
async function take(data, { takeFiles, drop }) {
  if (!data) return;
  const text = data.getData("text/uri-list") || data.getData("text/plain");
  // What was dropped is forgotten by the browser as soon as this function waits for something.
  const entries = [...data.items].flatMap((item) => item.webkitGetAsEntry?.() ?? []);
  const files = [...data.files];
  const folders = entries.filter(({ isDirectory }) => isDirectory);
  if (folders.length > 0) {
    const inside = (await Promise.all(folders.map(filesIn))).flat().filter(isPicture);
    const beside = files.filter(({ name }) => !folders.some((folder) => folder.name === name));
    return takeFiles([...beside, ...inside]);
  }
  if (files.length > 0) return takeFiles(files);
  if (!/^https?:\/\//.test(text.trim())) return;
  byId("url", HTMLInputElement).value = text.trim();
  drop({ url: text.trim() });
}

/**
 * The files of a folder, and of the folders in it.
 * @param {FileSystemEntry} entry
 * @returns {Promise<File[]>}
 */
async function filesIn(entry) {
  if (entry.isFile) {
    const held = /** @type {FileSystemFileEntry} */ (entry);
    return [await new Promise((resolve, reject) => held.file(resolve, reject))];
  }
  const reader = /** @type {FileSystemDirectoryEntry} */ (entry).createReader();
  /** @type {File[]} */
  const found = [];
  for (;;) {
    /** @type {FileSystemEntry[]} */
    const entries = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (entries.length === 0) return found; // a reader hands out some at a time
    found.push(...(await Promise.all(entries.map(filesIn))).flat());
  }
}
