/** The stable words of stores, and of batches that work on what lies there. `error-words.ts` says what words are for. */
import type { ErrorRow } from "./error-rules.ts";

export const STORE_WORDS = {
  "store.refused": {
    statuses: [422],
    says: /^store: /,
    cause: "The store did not take the result: the message has its status and its own word for it.",
    cure: "401 and 403: key, or permission to write. 404: bucket or region. [Stores](stores.md) has a request for each.",
  },
  "batch.object": {
    statuses: [422],
    says: /^The object was replaced|^An object without bytes|^The store gives others|^An object (?:of this name|that is stored)|^Another original has|^A name with/,
    cause:
      "Of a batch: an object that changes again and again while it is worked on, is empty or never given, or a result whose name is another object's.",
    cure: "Run the batch again when nobody writes there; give `target` a prefix of its own.",
  },
  "batch.store": {
    statuses: [422],
    says: /^The store (?:has asked|has a list|does not compare)/,
    cause:
      "Of a batch that is paused: its store was overburdened for hours, ignores `If-Match`, or lists without an end.",
    cure: "`POST /1.0/batches/<id>/resume` goes on where it was. In a store that ignores conditions, name another `target`.",
  },
  "keyfile.format": {
    statuses: [422],
    says: /^The keyfile/,
    cause: "The file is no key of a service account, or not all of it.",
    cure: "Upload the JSON file as the provider's console gives it out.",
  },
} as const satisfies Record<string, ErrorRow>;
