/** The tables of the documentation that are made from the registries. */
import { toJsonSchema } from "@valibot/to-json-schema";

import { ANALYSES } from "../../src/image/analyses.ts";
import type { FormatDefinition } from "../../src/image/codec/format.ts";
import { FORMATS } from "../../src/image/formats.ts";
import { OPERATIONS } from "../../src/image/operations.ts";
import type { Analysis } from "../../src/image/steps/analysis.ts";
import type { OperationRow } from "../../src/image/steps/operation.ts";
import type { ProviderRow } from "../../src/storage/provider.ts";
import { PROVIDERS } from "../../src/storage/providers.ts";
import { code, table, type Tables } from "./markdown-tables.ts";

export const REGISTRY_TABLES: Tables = {
  formats: () =>
    table(
      ["Format", "Written", "Alpha", "Animation", "Lossless", "Names", "What it is"],
      Object.entries<FormatDefinition>(FORMATS).map(([name, { label, write, can, extensions, summary }]) => [
        label,
        mark(write !== undefined),
        mark(can.alpha),
        mark(can.animation),
        mark(can.lossless),
        [...new Set([name, ...extensions])].map(code).join(" "),
        summary,
      ]),
    ),
  operations: () =>
    table(
      ["Operation", "Parameters", "What it does"],
      Object.entries<OperationRow>(OPERATIONS).map(([name, { aliases, params, summary }]) => [
        [name, ...(aliases ?? [])].map(code).join(" or "),
        members(params).map(code).join(" "),
        summary,
      ]),
    ),
  analyses: () =>
    table(
      ["Analysis", "What it gives"],
      Object.entries<Analysis>(ANALYSES).map(([name, { summary }]) => [code(name), summary]),
    ),
  providers: () =>
    table(
      ["Provider", "Credentials", "Other members", "Who it is"],
      PROVIDERS.map((row: ProviderRow) => [
        [row.code, ...row.aliases].map(code).join(" or "),
        Object.keys(row.credentials).map(code).join(" "),
        Object.keys(row.params).map(code).join(" "),
        row.summary,
      ]),
    ),
};

function members(params: OperationRow["params"]): string[] {
  const schema = toJsonSchema(params, { typeMode: "input", errorMode: "ignore" });
  return Object.keys(schema.properties ?? {});
}

const mark = (value: boolean) => (value ? "yes" : "");
