/** Uploaded bytes of accepted jobs, in the bucket until their processing has ended. */
import { isolateBudget } from "../scheduler/budget.ts";
import type { HeldBytes, Memory } from "../scheduler/held-bytes.ts";
import { readStored } from "../scheduler/stored.ts";

const PREFIX = "jobs/";
const HOUR_MS = 3_600_000;

export type UploadStore = ReturnType<typeof uploadsOf>;

/** Where a job's bytes lie: by the hour of acceptance, so that a listing begins with the oldest. */
export function uploadKey(id: string, createdAt: number): string {
  return `${PREFIX}${hourOf(createdAt)}/${id}`;
}

/** @param folder what the names of the objects begin with; keys do not */
export function uploadsOf(bucket: R2Bucket, memory: Memory = isolateBudget, folder = "") {
  return {
    async put(key: string, bytes: Uint8Array): Promise<void> {
      await bucket.put(folder + key, bytes);
    },
    /** @throws ApiError 503 when there is no room for them */
    async get(key: string): Promise<HeldBytes | undefined> {
      const object = await bucket.get(folder + key);
      return object === null ? undefined : readStored(object, memory);
    },
    /** At most 1,000 keys. */
    async remove(keys: readonly string[]): Promise<void> {
      if (keys.length > 0) await bucket.delete(keys.map((key) => folder + key));
    },
    /** The oldest keys of whole hours before a moment, with the job each belongs to. */
    async olderThan(moment: number, limit: number): Promise<{ key: string; id: string }[]> {
      const { objects } = await bucket.list({ prefix: folder + PREFIX, limit });
      const keys = objects.map(({ key }) => key.slice(folder.length)).filter((key) => key < PREFIX + hourOf(moment));
      return keys.map((key) => ({ key, id: key.slice(key.lastIndexOf("/") + 1) }));
    },
  };
}

/** Twelve digits, in the order of time. */
function hourOf(moment: number): string {
  return String(Math.floor(moment / HOUR_MS)).padStart(12, "0");
}
