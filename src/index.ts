/** Composition root: names the entrances, holds no logic. */
import { createApp } from "./http/app.ts";
import { createConsumer } from "./queue.ts";
import { street } from "./street.ts";
import { sweep } from "./sweep.ts";

export { Meter } from "./account/meter.ts";
export { Courier } from "./courier.ts";

const app = createApp(street);

export default {
  fetch: app.fetch,
  queue: createConsumer(street),
  scheduled: (_, env) => sweep(env),
} satisfies ExportedHandler<Env>;
