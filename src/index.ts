/** Composition root: names the entrances, holds no logic. */
export { Meter } from "./account/meter.ts";

export default {
  fetch: () => new Response(null, { status: 404 }),
} satisfies ExportedHandler<Env>;
