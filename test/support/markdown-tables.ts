/** Tables of documents between markers: `<!-- table: formats -->` … `<!-- end -->`. */

/** Makers of tables, by the names in the markers. */
export type Tables = Readonly<Record<string, () => string>>;
/** Documents by name. */
export type Texts = Readonly<Record<string, string>>;

/**
 * The documents with every one of these tables made anew; other tables stay as they are.
 * @throws Error when a table has no place in any document
 */
export function withTables(documents: Texts, tables: Tables): Record<string, string> {
  const placed = new Set<string>();
  const renew = (document: string): string =>
    document.replace(/(<!-- table: ([\w-]+) -->\n)[\s\S]*?(<!-- end -->)/g, (block, start, name, end) => {
      const make = tables[String(name)];
      if (make === undefined) return block;
      placed.add(String(name));
      return `${start}\n${make()}\n\n${end}`;
    });
  const renewed = Object.fromEntries(Object.entries(documents).map(([name, text]) => [name, renew(text)]));
  const lost = Object.keys(tables).filter((name) => !placed.has(name));
  if (lost.length > 0) throw new Error(`No place for the tables ${lost.join(", ")}`);
  return renewed;
}

/** A table whose cells are padded as the formatter pads them. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const escaped = rows.map((row) => row.map((cell) => cell.replaceAll("|", "\\|").replaceAll("\n", " ")));
  const widths = head.map((cell, column) =>
    Math.max(3, cell.length, ...escaped.map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  return [line(head), line(widths.map((width) => "-".repeat(width))), ...escaped.map(line)].join("\n");
}

export const code = (name: string) => `\`${name}\``;
