/** The documentation is as the registries and the settings are. */
import { expect, it } from "vitest";

import formats from "../src/docs/formats.md?raw";
import operations from "../src/docs/operations.md?raw";
import running from "../src/docs/running.md?raw";
import stores from "../src/docs/stores.md?raw";
import { SETTING_NAMES } from "../src/env.ts";
import { withTables } from "./support/markdown-tables.ts";
import { REGISTRY_TABLES } from "./support/tables.ts";

/** `npm run docs` writes the tables anew. */
it("shows the registries in the documentation as they are", async () => {
  const renewed = withTables({ formats, operations, stores }, REGISTRY_TABLES);
  for (const [name, text] of Object.entries(renewed)) await expect(text).toMatchFileSnapshot(`../src/docs/${name}.md`);
});

it.each(SETTING_NAMES)("explains the setting %s in the documentation", (name) => {
  expect(running).toContain(`\`${name}\``);
});
