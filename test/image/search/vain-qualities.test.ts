/** Animations whose loss no quality brings back. */
import { expect, it } from "vitest";

import lines from "../../fixtures/gif/bug00060.gif";
import { rendered } from "../../support/render.ts";

it("a film of thin colored lines does not double its bytes for a quality that nobody sees", async () => {
  const file = new Uint8Array(lines);
  const film = async (quality?: number) => {
    const optimize = quality === undefined ? undefined : ({ lossless: false, quality } as const);
    return (await rendered(file, { output: { format: "mp4" }, ...(optimize && { optimize }) })).output;
  };
  const [searched, best] = [await film(), await film(100)];
  expect(searched.bytes.length).toBeLessThan(best.bytes.length * 0.75);
  expect(searched.score).toBeGreaterThan(55);
});
