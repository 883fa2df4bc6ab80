/** A list of files that this browser keeps until it is cleared, so that a reload loses nothing. */

const NAME = "darkroom-files";
const STORE = "files";

/**
 * @import { MadeFile } from "./shapes.d.ts"
 *
 * @typedef {object} KeptFile
 * @property {string} id
 * @property {number} order
 * @property {string} name
 * @property {number} bytes
 * @property {File | undefined} file undefined where it was too large to be kept
 * @property {readonly MadeFile[] | undefined} made
 * @property {string | undefined} html of a set, with the names of its files
 * @property {string | undefined} failed why there is no result
 */

/** @returns {Promise<IDBDatabase>} */
function opened() {
  const request = indexedDB.open(NAME, 1);
  request.addEventListener("upgradeneeded", () => request.result.createObjectStore(STORE, { keyPath: "id" }));
  return settled(request);
}

/**
 * @template T
 * @param {IDBRequest<T>} request
 * @returns {Promise<T>}
 */
function settled(request) {
  return new Promise((resolve, reject) => {
    request.addEventListener("success", () => resolve(request.result));
    request.addEventListener("error", () => reject(request.error ?? new Error("The browser keeps no files.")));
  });
}

/**
 * @param {IDBTransaction} transaction
 * @returns {Promise<void>}
 */
function finished(transaction) {
  return new Promise((resolve, reject) => {
    transaction.addEventListener("complete", () => resolve());
    transaction.addEventListener("abort", () => reject(transaction.error ?? new Error("The browser keeps no files.")));
  });
}

/**
 * Settles once the transaction is over: what was written before that may be undone when the page is left.
 * A browser that keeps nothing, as in a private window, loses the list with the page, and nothing else.
 * @template T
 * @param {IDBTransactionMode} mode
 * @param {(store: IDBObjectStore) => IDBRequest<T>} ask
 * @returns {Promise<T | undefined>}
 */
async function stored(mode, ask) {
  try {
    const database = await opened();
    try {
      const transaction = database.transaction(STORE, mode);
      const isOver = finished(transaction);
      const [answer] = await Promise.all([settled(ask(transaction.objectStore(STORE))), isOver]);
      return answer;
    } finally {
      database.close();
    }
  } catch {
    return undefined;
  }
}

/** @returns {Promise<KeptFile[]>} */
export async function keptFiles() {
  const all = await stored("readonly", (store) => /** @type {IDBRequest<KeptFile[]>} */ (store.getAll()));
  return (all ?? []).sort((one, other) => one.order - other.order);
}

/** @param {KeptFile} file */
export async function keep(file) {
  await stored("readwrite", (store) => store.put(file));
}

export async function forgetFiles() {
  await stored("readwrite", (store) => store.clear());
}
