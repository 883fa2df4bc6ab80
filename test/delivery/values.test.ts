/** Values of addresses and headers that break a rule, or refuse something. */
import { expect, it } from "vitest";

import { canonicalOf } from "../../src/delivery/canonical.ts";
import { edgeNetwork } from "../../src/delivery/dialects/edge-network.ts";
import { refusal } from "../support/refusal.ts";

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
