/** Answers in the platform's cache: no longer than they are good. */
import { expect, it } from "vitest";

import { cacheControl, edgeName, fromEdge, keepAtEdge } from "../../src/delivery/edge-cache.ts";

it("keeps an answer without the time after its own, and gives it back as it was", async () => {
  const name = await edgeName("https://darkroom.test", "derived/a/b/c", 1, "shape");
  const headers = { "Cache-Control": cacheControl("public, max-age=30"), "Content-Type": "image/jpeg" };
  await keepAtEdge(name, new Response("picture", { headers }));
  const kept = await caches.default.match(name);
  expect(kept?.headers.get("Cache-Control")).toBe("public, max-age=30");
  await kept?.body?.cancel();
  const answer = await fromEdge(name);
  expect(answer?.headers.get("Cache-Control")).toBe("public, max-age=30, stale-while-revalidate=86400");
  expect(answer?.headers.get("Content-Type")).toBe("image/jpeg");
  expect(await answer?.text()).toBe("picture");
});
