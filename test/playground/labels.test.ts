/** What the form of the playground calls things, and which choices it offers. */
import { join } from "node:path";

import { expect, it } from "vitest";

const FOLDER = join(import.meta.dirname, "..", "..", "src", "playground");

interface Labels {
  readonly choicesOf: (
    id: string,
    values: readonly string[],
    preset: string | undefined,
  ) => readonly (readonly [value: string, text: string])[];
}

const { choicesOf }: Labels = await import(join(FOLDER, "labels.js"));
const { FORMAT_ALIASES }: { readonly FORMAT_ALIASES: readonly string[] } = await import(
  join(FOLDER, "format-lists.js")
);

it("offers each format once, by its own name, and PNG that moves beside PNG", () => {
  expect(FORMAT_ALIASES).toContain("apng");
  const values = ["auto", "png", "jpeg", ...FORMAT_ALIASES, "qoi"];
  const choices = choicesOf("output-format", values, undefined).map(([value]) => value);
  expect(choices).toEqual(["", "auto", "png", "jpeg", "apng", "qoi"]);
});
