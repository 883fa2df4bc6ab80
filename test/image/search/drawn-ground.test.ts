/** Whether drawings are written as such where a format has a way for that: edges on even ground count more than texture. */
import { expect, it } from "vitest";

import type { TraceEvent } from "../../../src/image/search/trace.ts";
import photo from "../../fixtures/jpeg/s420.jpg";
import { rendered } from "../../support/render.ts";

/** Letters of several sizes on white, so many pixels across. */
function letters(width: number): Uint8Array {
  const colors = ["#000", "#333", "#c00", "#00a"];
  const line = (at: number) =>
    `<text x="10" y="${30 + at * 31}" font-size="${14 + at}" fill="${colors[at % 4]}">Sphinx of black quartz 0123456789</text>`;
  const body = `<rect width="400" height="300" fill="#fff"/>${Array.from({ length: 9 }, (_, at) => line(at)).join("")}`;
  return new TextEncoder().encode(
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 300" width="${width}" height="${(width * 3) / 4}">${body}</svg>`,
  );
}

/** The file of a request, and the settings of all that was encoded for it. */
async function encoded(bytes: Uint8Array, output: object) {
  const events: TraceEvent[] = [];
  const result = await rendered(bytes, {
    output,
    optimize: { lossless: false },
    trace: (event) => void events.push(event),
  });
  const settings = events.flatMap((event) => (event.kind === "encoded" ? [event.settings] : []));
  return { output: result.output, settings };
}

it("AVIF of letters is written as a drawing, and takes fewer bytes than as a photograph", async () => {
  const { output, settings } = await encoded(letters(1_200), { format: "avif" });
  expect(settings.length).toBeGreaterThan(1);
  expect(settings.every(({ drawn }) => drawn)).toBe(true);
  expect(output.score).toBeGreaterThanOrEqual(75);
  // As a photograph it takes 35,145.
  expect(output.bytes.length).toBeLessThan(33_500);
});

it.each([
  ["a photograph, as AVIF", new Uint8Array(photo), "avif"],
  ["letters, as JPEG, which has no way of its own", letters(300), "jpeg"],
])("%s, is not", async (_name, bytes, format) => {
  const { settings } = await encoded(bytes, { format });
  expect(settings.length).toBeGreaterThan(1);
  expect(settings.some(({ drawn }) => drawn)).toBe(false);
});
