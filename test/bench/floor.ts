/** What the harness itself costs: the floor under every other number. */
import type { Bench } from "./harness.ts";

const words = new Uint32Array(1_000_000);

export const bench: Bench = {
  title: "the harness itself: filling four megabytes, twice the same",
  candidates: async () => [
    { name: "fill", run: () => words.fill(7) },
    { name: "fill again", run: () => words.fill(7) },
  ],
};
