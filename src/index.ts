/** Composition root: names the entrances, holds no logic. */
import { createApp } from "./http/app.ts";
import { MAX_SWEEP_OBJECTS } from "./limits.ts";
import { sweepTemporary } from "./storage/volatile.ts";
import { street } from "./street.ts";

export { Meter } from "./account/meter.ts";

const app = createApp(street);

export default {
  fetch: app.fetch,
  scheduled: async (_, env) => {
    await sweepTemporary(env.BUCKET, Date.now(), MAX_SWEEP_OBJECTS);
  },
} satisfies ExportedHandler<Env>;
