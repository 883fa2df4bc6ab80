/** What a quality that was asked for makes of a file that has as low a one already. */
import { expect, it } from "vitest";

import { FORMATS } from "../../../src/image/formats.ts";
import file from "../../fixtures/jpeg/whole-s420.jpg";
import { decodeFile } from "../../support/files.ts";
import { rendered } from "../../support/render.ts";

it("is the original, written anew without loss, where no file of that quality is smaller", async () => {
  const original = new Uint8Array(file);
  const { output } = await rendered(original, { optimize: { lossless: false, quality: 99 } });
  const exact = await rendered(original, { optimize: { compression: "lossless", lossless: true } });
  expect(output.bytes.length).toBeLessThan(original.length);
  expect(output.bytes).toEqual(exact.output.bytes);
  expect(await decodeFile(FORMATS.jpeg, output.bytes)).toEqual(await decodeFile(FORMATS.jpeg, original));
});
