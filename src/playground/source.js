/** What is to be processed: a file that was chosen, dropped or pasted, or an address. The last one given counts. */
import { byId, bytesText } from "./dom.js";

/** `{ current() }`; `changed` is called with every new source: `{ file }`, `{ url }` or undefined. */
export function createSource(changed) {
  let source;
  let thumbnail;
  const set = (next) => {
    source = next;
    if (thumbnail) URL.revokeObjectURL(thumbnail);
    thumbnail = source?.file && URL.createObjectURL(source.file);
    if (source?.file) byId("url").value = "";
    else byId("file").value = "";
    showFile(source?.file, thumbnail);
    changed(source);
  };
  byId("file").addEventListener("change", (event) => {
    const [file] = event.target.files;
    if (file) set({ file });
  });
  byId("url").addEventListener("input", (event) => {
    const url = event.target.value.trim();
    set(url === "" ? undefined : { url });
  });
  byId("sample").addEventListener("click", () => void sampleFile().then((file) => set({ file })));
  listenForDrops(set);
  return { current: () => source };
}

async function sampleFile() {
  const answer = await fetch("/sample.jpg");
  return new File([await answer.blob()], "sample.jpg", { type: "image/jpeg" });
}

function showFile(file, thumbnail) {
  byId("drop-empty").hidden = file !== undefined;
  byId("drop-chosen").hidden = file === undefined;
  if (!file) return;
  const thumb = byId("thumb");
  thumb.hidden = false;
  thumb.onerror = () => {
    thumb.hidden = true; // a format that this browser does not know
  };
  thumb.src = thumbnail;
  byId("chosen-name").textContent = file.name;
  byId("chosen-size").textContent = bytesText(file.size);
}

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
    const typing = event.target.matches?.("input, textarea");
    if (event.clipboardData.files.length > 0 || !typing) take(event.clipboardData, set);
  });
}

function take(data, set) {
  const [file] = data.files;
  const text = data.getData("text/uri-list") || data.getData("text/plain");
  if (file) set({ file });
  else if (/^https?:\/\//.test(text.trim())) {
    byId("url").value = text.trim();
    set({ url: text.trim() });
  }
}
