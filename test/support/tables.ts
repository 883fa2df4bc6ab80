/** The tables of the README, made from the registries. */
import { toJsonSchema } from "@valibot/to-json-schema";

import { ANALYSES } from "../../src/image/analyses.ts";
import type { Analysis } from "../../src/image/analysis.ts";
import type { FormatDefinition } from "../../src/image/format.ts";
import { FORMATS } from "../../src/image/formats.ts";
import type { OperationRow } from "../../src/image/operation.ts";
import { OPERATIONS } from "../../src/image/operations.ts";
import type { ProviderRow } from "../../src/storage/provider.ts";
import { PROVIDERS } from "../../src/storage/providers.ts";

/** Every table, by the name in its markers: `<!-- table: formats -->` … `<!-- end -->`. */
const TABLES: Readonly<Record<string, () => string>> = {
  formats: () =>
    table(
      ["Format", "Written", "Alpha", "Animation", "Lossless", "Names", ""],
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
      ["Operation", "Parameters", ""],
      Object.entries<OperationRow>(OPERATIONS).map(([name, { aliases, params, summary }]) => [
        [name, ...(aliases ?? [])].map(code).join(" or "),
        members(params).map(code).join(" "),
        summary,
      ]),
    ),
  analyses: () =>
    table(
      ["Analysis", ""],
      Object.entries<Analysis>(ANALYSES).map(([name, { summary }]) => [code(name), summary]),
    ),
  providers: () =>
    table(
      ["Provider", "Credentials", "Other members", ""],
      PROVIDERS.map((row: ProviderRow) => [
        [row.code, ...row.aliases].map(code).join(" or "),
        Object.keys(row.credentials).map(code).join(" "),
        Object.keys(row.params).map(code).join(" "),
        row.summary,
      ]),
    ),
};

/**
 * The document with every table between markers made anew.
 * @throws Error when markers name no table or a table has no place
 */
export function withTables(document: string): string {
  const placed = new Set<string>();
  const renewed = document.replace(/(<!-- table: (\w+) -->\n)[\s\S]*?(<!-- end -->)/g, (_, start, name, end) => {
    const make = TABLES[String(name)];
    if (make === undefined) throw new Error(`There is no table ${name}`);
    placed.add(String(name));
    return `${start}\n${make()}\n\n${end}`;
  });
  const lost = Object.keys(TABLES).filter((name) => !placed.has(name));
  if (lost.length > 0) throw new Error(`No place for the tables ${lost.join(", ")}`);
  return renewed;
}

function members(params: OperationRow["params"]): string[] {
  const schema = toJsonSchema(params, { typeMode: "input", errorMode: "ignore" });
  return Object.keys(schema.properties ?? {});
}

/** Cells padded as the formatter pads them. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const escaped = rows.map((row) => row.map((cell) => cell.replaceAll("|", "\\|").replaceAll("\n", " ")));
  const widths = head.map((cell, column) =>
    Math.max(3, cell.length, ...escaped.map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  return [line(head), line(widths.map((width) => "-".repeat(width))), ...escaped.map(line)].join("\n");
}

const mark = (value: boolean) => (value ? "yes" : "");
const code = (name: string) => `\`${name}\``;
