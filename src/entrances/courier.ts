/** The third entrance: alarms. The Durable Object around a record's courier. */
import { DurableObject } from "cloudflare:workers";

import { DIRECTORY } from "../env.ts";
import { courierPortsOf } from "../pipeline/notices.ts";
import { attend } from "../webhook/courier.ts";
import type { Journal, JournalEntry } from "../webhook/ports.ts";

const ID = "id";
/** Couriers of an earlier version have none: their records lie in the directory. */
const DATABASE = "database";
const JOURNAL = "journal";

/**
 * Wakes at the moment its record is due, to the millisecond and however far away, delivers, and is gone when the
 * record is finished. Alarms are durable, run one at a time, and come again when they fail.
 */
export class Courier extends DurableObject<Env> {
  /**
   * Looks at the record at this moment, milliseconds since 1970, unless it will do so earlier anyway.
   * @param entry what somebody else's attempt came to that the record does not know yet
   */
  async wake(id: string, at: number, database = DIRECTORY, entry?: JournalEntry): Promise<void> {
    const { storage } = this.ctx;
    if (entry) storage.kv.put(JOURNAL, entry);
    if (storage.kv.get(ID) === undefined) {
      storage.kv.put(ID, id);
      if (database !== DIRECTORY) storage.kv.put(DATABASE, database);
    }
    const set = await storage.getAlarm();
    if (set === null || at < set) await storage.setAlarm(at);
  }

  override async alarm(): Promise<void> {
    const { storage } = this.ctx;
    const id = storage.kv.get<string>(ID);
    if (id === undefined) return;
    const database = storage.kv.get<string>(DATABASE) ?? DIRECTORY;
    const next = await attend(id, courierPortsOf(this.env, journalOf(storage), database));
    if (next !== undefined) await this.wake(id, next);
    // Somebody may have asked for another look meanwhile.
    else if ((await storage.getAlarm()) === null) await storage.deleteAll();
  }
}

function journalOf(storage: DurableObjectStorage): Journal {
  return {
    read: async () => storage.kv.get<JournalEntry>(JOURNAL),
    write: async (entry) => {
      storage.kv.put(JOURNAL, entry);
      await storage.sync();
    },
    clear: async () => void storage.kv.delete(JOURNAL),
  };
}
