/** Composition root: names the entrances, holds no logic. */
import { createApp } from "./http/app.ts";
import { street } from "./street/edges.ts";
import { createConsumer } from "./street/queue.ts";
import { sweep } from "./street/sweep.ts";

export { Meter } from "./account/meter.ts";
export { Courier } from "./street/courier.ts";

const app = createApp(street);

export default {
  // When the caller hangs up, the platform would drop the work in its midst: memory that it holds would never be given
  // back, its credit never closed. So it goes on to its end, which comes soon: a request's signal stops the engine.
  fetch(request, env, context) {
    const answering = Promise.resolve(app.fetch(request, env, context));
    context.waitUntil(answering.catch(() => undefined));
    return answering;
  },
  queue: createConsumer(street),
  scheduled: (_, env) => sweep(env),
} satisfies ExportedHandler<Env>;
