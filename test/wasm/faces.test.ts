/** The network that finds faces, against its definition. */
import { expect, it } from "vitest";

import { jpeg } from "../../src/image/formats/jpeg.ts";
import { type Hit, openFacePicture, WINDOW_ROWS } from "../../wasm/faces/faces.ts";
import weights from "../../wasm/faces/network.bin";
import oneFile from "../fixtures/faces/one.jpg";
import { facesByNetwork } from "../support/face-network.ts";
import { decodeFile } from "../support/files.ts";
import { pixel } from "../support/operations.ts";
import { noise, paint, type Pixels } from "../support/rows.ts";

const LEAST = 1e-6;

const one = await decodeFile(jpeg, new Uint8Array(oneFile));

function hitsIn({ width, height, data }: Pixels): Hit[] {
  const picture = openFacePicture(width, height);
  for (let y = 0; y < height; y += WINDOW_ROWS)
    picture.write(new Uint8Array(data.subarray(y * width * 4, (y + WINDOW_ROWS) * width * 4)));
  const search = picture.search({ x: 0, y: 0, width, height }, { width, height }, LEAST);
  while (search.next());
  const hits = search.hits();
  search.close();
  picture.close();
  return hits;
}

it.each<readonly [string, Pixels]>([
  ["a face", paint(96, 96, (x, y) => pixel(one, x + 52, y + 18))],
  ["a face cut off, of sides that are no whole steps", paint(67, 45, (x, y) => pixel(one, x + 60, y + 40))],
  ["noise", noise(35, 50)],
  ["less than a step", noise(7, 3)],
])("gives the boxes and scores that it is defined to give: %s", (_, pixels) => {
  const defined = facesByNetwork(weights, pixels.width, pixels.height, pixels.data);
  const hits = hitsIn(pixels);
  const isSame = (a: Hit, b: Hit) =>
    Math.abs(a.score - b.score) < 1e-4 &&
    [a.x - b.x, a.y - b.y, a.width - b.width, a.height - b.height].every((distance) => Math.abs(distance) < 0.01);
  expect(hits.filter((hit) => !defined.some((other) => isSame(hit, other)))).toEqual([]);
  // Scores at the border may be rounded to either side of it.
  const sure = defined.filter(({ score }) => score > LEAST * 1.01);
  expect(sure.length).toBeGreaterThan(0);
  expect(sure.filter((hit) => !hits.some((other) => isSame(hit, other)))).toEqual([]);
});

it("scores a face as one", () => {
  const scores = hitsIn(paint(96, 96, (x, y) => pixel(one, x + 52, y + 18))).map(({ score }) => score);
  expect(Math.max(...scores)).toBeGreaterThan(0.8);
});
