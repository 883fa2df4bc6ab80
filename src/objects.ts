/**
 * A second Worker of the same code, for deployments whose objects are apart: `Meter` and `Courier` without anything that
 * works on pictures. Their isolates start with a hundredth of the code, and share their memory and their thread with no
 * codec. The Worker is bound to it by `script_name`; nobody else reaches it.
 */
export { Courier } from "./entrances/courier.ts";
export { Meter } from "./entrances/meter.ts";

export default {
  fetch: () => new Response(null, { status: 404 }),
} satisfies ExportedHandler<Env>;
