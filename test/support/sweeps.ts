/** One sweep, with a queue that only listens. */
import { env } from "cloudflare:workers";

import { databasesOf } from "../../src/account/databases.ts";
import { sweep } from "../../src/entrances/sweep.ts";
import type { PlacedMessage } from "../../src/pipeline/work.ts";

/** The messages that a sweep sends; bindings may be others than those of the tests. */
export async function sweptMessages(bindings: object = {}): Promise<PlacedMessage[]> {
  const sent: PlacedMessage[] = [];
  const QUEUE = {
    sendBatch: async (messages: readonly { body: PlacedMessage }[]) =>
      void sent.push(...messages.map(({ body }) => body)),
  };
  // Whatever rests is looked at.
  for (const database of databasesOf(env).values()) await database.prepare("DELETE FROM sweeps").run();
  await sweep({ ...env, QUEUE, ...bindings } as unknown as Env);
  return sent;
}
