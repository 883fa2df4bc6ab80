/** Many files with the same settings: a table as they finish, one archive of all, and the HTML of a page that shows them. */
import { BatchTable } from "./batch-table.js";
import { forgetFiles, keep, keptFiles } from "./kept-files.js";
import { patiently, sleepFor, workOnAll } from "./patience.js";
import { resultOf, submit } from "./processing.js";
import { uniqueNames, zipOf } from "./zip.js";

/**
 * @import { KeptFile } from "./kept-files.js"
 * @import { MadeFile, SetSuccess, Success, UploadBody } from "./shapes.d.ts"
 */

/** Bytes of originals that the browser is asked to keep; of what is beyond, it keeps the names. */
const MOST_KEPT = 256_000_000;
/** What a page of today asks for, where the settings name no widths. */
const PAGE = { widths: [480, 960, 1600], formats: /** @type {const} */ (["avif", "webp", "jpeg"]) };

/** The files that were chosen together. */
export class Batch {
  /** @type {KeptFile[]} */
  #files = [];
  /** @type {() => UploadBody | undefined} */
  #read;
  /** @type {AbortController | undefined} */
  #running;
  #table;

  /** @param {{ read: () => UploadBody | undefined, onOpen: (file: File) => void }} ports */
  constructor({ read, onOpen }) {
    this.#read = read;
    this.#table = new BatchTable({
      onOpen,
      onStop: () => this.stop(),
      onAgain: () => void this.#again(this.#read()),
      onPage: () => void this.#again(forPage(this.#read())),
      onZip: () => this.#zip(),
      onClear: () => void this.#clear(),
      html: () => this.#html(),
    });
  }

  get element() {
    return this.#table.element;
  }

  /**
   * Goes on with what a page before this one was asked for.
   * @returns {Promise<boolean>} whether there is any
   */
  async resume() {
    this.#files = await keptFiles();
    if (this.#files.length > 0) void this.#run();
    return this.#files.length > 0;
  }

  /**
   * Begins with more files. One that is listed without its bytes gets them.
   * @param {readonly File[]} files
   */
  async add(files) {
    let bytes = this.#files.reduce((sum, { file }) => sum + (file?.size ?? 0), 0);
    for (const file of files) {
      const listed = this.#files.find((one) => !one.file && one.name === file.name && one.bytes === file.size);
      if (listed) {
        listed.file = file;
        continue;
      }
      const order = this.#files.length;
      /** @type {KeptFile} */
      const added = { id: crypto.randomUUID(), order, name: file.name, bytes: file.size, ...NOT_MADE, file };
      this.#files.push(added);
      bytes += file.size;
      await keep(bytes > MOST_KEPT ? { ...added, file: undefined } : added);
    }
    await this.#run();
  }

  stop() {
    this.#running?.abort();
    this.#running = undefined;
    this.#show();
  }

  /** @param {UploadBody | undefined} body */
  async #again(body) {
    this.stop();
    for (const one of this.#files) if (one.file) Object.assign(one, NOT_MADE);
    await this.#run(body);
  }

  async #run(body = this.#read()) {
    if (this.#running) return this.#show(); // those that work take the new ones as well
    const mine = new AbortController();
    this.#running = mine;
    const { signal } = mine;
    for (let next = this.#waiting(); next.length > 0 && !signal.aborted; next = this.#waiting()) {
      this.#show();
      await workOnAll(next, (file) => this.#make(file, body, signal), signal);
    }
    if (this.#running === mine) this.#running = undefined;
    this.#show();
  }

  #waiting() {
    return this.#files.filter(({ file, made, failed }) => file && !made && failed === undefined);
  }

  /**
   * @param {KeptFile} kept
   * @param {UploadBody | undefined} body
   * @param {AbortSignal} signal
   */
  async #make(kept, body, signal) {
    const { file } = kept;
    if (!file) return;
    this.#table.tell(kept.id, "Processing …");
    const sleep = (/** @type {number} */ milliseconds) => sleepFor(milliseconds, signal);
    const onWait = (/** @type {number} */ seconds) => this.#table.tell(kept.id, `Busy: again in ${seconds} s`);
    try {
      /** @type {{ answer: Success | SetSuccess }} */
      const { answer } = await patiently(() => submit({ file }, wantedOf(body), { signal }), { onWait, sleep });
      Object.assign(kept, await madeOf(answer, file.name));
    } catch (error) {
      if (signal.aborted) return this.#table.tell(kept.id, "Stopped");
      kept.failed = error instanceof Error ? error.message : String(error);
    }
    if (!this.#files.includes(kept)) return; // the list was cleared meanwhile
    await keep(kept);
    this.#show();
  }

  /** The archive: every file by its name, and a page that shows them where there are several of each. */
  async #zip() {
    const files = this.#files.flatMap(({ made }) => made ?? []);
    const html = this.#html();
    const page = html ? [{ name: "pictures.html", blob: new Blob([html], { type: "text/html" }) }] : [];
    const archive = await zipOf([...files, ...page]);
    const link = document.createElement("a");
    link.href = URL.createObjectURL(archive);
    link.download = "darkroom.zip";
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  }

  #html() {
    return this.#files.flatMap(({ html }) => html ?? []).join("\n\n");
  }

  /** The list leaves the page once the browser has forgotten it, so that no reload brings it back. */
  async #clear() {
    this.stop();
    this.#files = [];
    await forgetFiles();
    this.#show();
  }

  #show() {
    this.#table.show(this.#files, { isRunning: this.#running !== undefined });
  }
}

const NOT_MADE = { made: undefined, html: undefined, failed: undefined };

/**
 * The same settings for all widths and formats of a page, which say the size and the format themselves.
 * @param {UploadBody | undefined} body
 * @returns {UploadBody}
 */
function forPage({ resize: _size, srcset = PAGE, output, ...rest } = {}) {
  const { format: _format, ...file } = output ?? {};
  return { ...rest, srcset, ...(Object.keys(file).length > 0 && { output: file }) };
}

/**
 * Results come to this page: nothing is sent elsewhere once for each of many files.
 * @param {UploadBody | undefined} body
 * @returns {UploadBody | undefined}
 */
function wantedOf(body) {
  const { webhook: _webhook, store: _store, ...wanted } = body ?? {};
  return Object.keys(wanted).length === 0 ? undefined : wanted;
}

/**
 * The files of an answer. Those of a set stand in a folder of their original, where their page looks for them.
 * @param {Success | SetSuccess} answer
 * @param {string} original
 * @returns {Promise<{ made: MadeFile[], html: string | undefined }>}
 */
async function madeOf(answer, original) {
  const isSet = "outputs" in answer;
  const outputs = isSet ? Object.values(answer.outputs) : [answer.output];
  const folder = isSet ? `${original.replace(/\.[^.]+$/, "")}/` : "";
  const names = uniqueNames(outputs.map(({ name }) => folder + name));
  let html = isSet ? answer.html : undefined;
  const made = await Promise.all(
    outputs.map(async ({ url, format, width, height, score }, index) => {
      const blob = await resultOf(url);
      if (!blob) throw new Error("The result was not stored here.");
      const name = names[index] ?? "";
      if (url) html = html?.replaceAll(url, encodeURI(name));
      return { name, blob, format, width, height, score };
    }),
  );
  return { made, html };
}
