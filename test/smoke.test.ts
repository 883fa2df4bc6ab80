import { exports } from "cloudflare:workers";
import { expect, it } from "vitest";
it("runs in the runtime", async () => {
  const r = await exports.default.fetch("http://x/");
  expect(r.status).toBe(404);
});
