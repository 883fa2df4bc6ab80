/** Values of addresses and headers that break a rule, or refuse something. */
import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { canonicalOf } from "../../src/delivery/canonical.ts";
import { edgeNetwork } from "../../src/delivery/dialects/edge-network.ts";
import { forgetDeliveries } from "../../src/delivery/lookup.ts";
import { identify } from "../../src/image/plan/detect.ts";
import photo from "../fixtures/jpeg/s420.jpg";
import moving from "../fixtures/png/apng-spec-022.png";
import translucent from "../fixtures/png/rgba-8.png";
import { deliveryWorld, facts, file, forgetEdges, originOf } from "../support/delivery.ts";
import { refusal } from "../support/refusal.ts";

beforeEach(() => forgetDeliveries());
afterEach(() => vi.restoreAllMocks());

function read(options: string) {
  const spelled = edgeNetwork.split(`/${options}/a.jpg`);
  if (!spelled) throw new Error("no address");
  return edgeNetwork.read(spelled);
}

it.each(["e", "", "***", btoa("no JSON"), btoa("[1]"), btoa("1"), btoa("null"), btoa("\xff\xfe")])(
  "json=%s is no object, and refused by its name",
  async (value) => {
    expect(await refusal((async () => read(`json=${value}`))())).toEqual({
      status: 422,
      message: "json must be a JSON object in base64url",
    });
  },
);

it.each([
  ["image/avif,image/webp;q=0", "image/jpeg,image/png,image/gif"],
  ["image/avif,image/webp; Q=0.0,*/*", "image/jpeg,image/png,image/gif"],
  ["image/jxl;q=0,image/avif,image/webp", "image/avif,image/webp,image/jpeg,image/png,image/gif"],
  ["image/avif;q=0,image/webp", "image/webp,image/jpeg,image/png,image/gif"],
  ["image/avif,image/webp;q=0.1", "image/avif,image/webp,image/jpeg,image/png,image/gif"],
])("gives a client nothing that it refuses: %s", (accept, taken) => {
  expect(canonicalOf({ presets: {}, provenance: "auto" }, read("-"), accept).accept).toBe(taken);
});

it.each([
  ["a photograph", photo],
  ["what can be seen through", translucent],
  ["what moves", moving],
])("gives a client drafts and finals of %s in no format that it refuses", async (_name, bytes) => {
  originOf(file(bytes));
  const { get, runFinals, delivery } = await deliveryWorld({ unsigned: { widths: [24] } });
  const formats = new Set<string>();
  for (const accept of ["image/avif,image/webp;q=0,*/*", "image/avif;q=0,image/webp"]) {
    const draft = await get("w=24", "a.jpg", { accept });
    await runFinals();
    await forgetEdges(delivery.id);
    const final = await get("w=24", "a.jpg", { accept });
    expect([facts(draft)[0], facts(final)[0]]).toEqual(["draft", "final"]);
    for (const answer of [draft, final]) {
      const { mime } = identify(answer.bytes).format;
      expect(answer.headers.get("content-type")).toBe(mime);
      expect(accept.includes(`${mime};q=0`), `${mime} for ${accept}`).toBe(false);
      formats.add(mime);
    }
  }
  // A client that takes WebP is not held to what every client takes.
  expect(formats).toContain("image/webp");
});
