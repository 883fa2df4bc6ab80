/** The README is as the registries and the settings are. */
import { expect, it } from "vitest";

import readme from "../README.md?raw";
import { SETTING_NAMES } from "../src/env.ts";
import { withTables } from "./support/tables.ts";

/** `npm run docs` writes the tables anew. */
it("shows the registries in the README as they are", async () => {
  await expect(withTables(readme)).toMatchFileSnapshot("../README.md");
});

it.each(SETTING_NAMES)("explains the setting %s in the README", (name) => {
  expect(readme).toContain(`\`${name}\``);
});
