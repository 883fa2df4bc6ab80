/** Formats that hold one picture as several squares: their sides, and the square that the picture becomes. */
import { expect, it } from "vitest";

import { sidesFor } from "../../../src/image/plan/output.ts";
import { inSquare } from "../../../src/image/steps/square.ts";

const USUAL = { most: 256, usual: [16, 32, 48], named: undefined };

it.each([
  [{ width: 10, height: 5 }, [10]],
  [{ width: 32, height: 32 }, [16, 32]],
  [{ width: 20, height: 256 }, [16, 32, 48, 256]],
  [{ width: 257, height: 20 }, [16, 32, 48]],
])("are the usual ones below %o and its own where it is small enough", (size, sides) => {
  expect(sidesFor(USUAL, size)).toEqual(sides);
});

it("are those that are named, the smallest first", () => {
  expect(sidesFor({ ...USUAL, named: [256, 16] }, { width: 9, height: 9 })).toEqual([16, 256]);
});

it("takes a picture into the middle of a square as large as it fits, never to nothing", () => {
  expect(inSquare({ width: 40, height: 40 }, 16)).toMatchObject([{ kind: "resize", width: 16, height: 16 }]);
  expect(inSquare({ width: 40, height: 20 }, 16)).toMatchObject([
    { width: 16, height: 8 },
    { width: 16, height: 16 },
  ]);
  expect(inSquare({ width: 1_000, height: 1 }, 16)).toMatchObject([{ width: 16, height: 1 }, { kind: "rows" }]);
});
