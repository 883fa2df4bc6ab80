/** Bounds that rely on each other. */
import { expect, it } from "vitest";

import { assertRelations, RELATIONS } from "../src/limits/relations.ts";

it.each(Object.entries(RELATIONS))("%s", (_sentence, holds) => {
  expect(holds).toBe(true);
});

it("names every relation that does not hold", () => {
  expect(() => assertRelations({ "One is two": false, "One is one": true, "Two is one": false })).toThrow(
    "Limits contradict each other. Not so: One is two; Two is one",
  );
});
