/** The tables of errors, from the words that answers carry. */
import { type ErrorRow, RULES } from "../../src/error-rules.ts";
import { WORDS } from "../../src/error-words.ts";
import { code, table, type Tables } from "./markdown-tables.ts";

const rows = (words: Readonly<Record<string, ErrorRow>>) => Object.entries<ErrorRow>(words);

export const ERROR_TABLES: Tables = {
  "error-rules": () =>
    table(
      ["Word", "Cause", "Cure"],
      rows(RULES).map(([name, { cause, cure }]) => [code(`<member>.${name}`), cause, cure]),
    ),
  "error-words": () =>
    table(
      ["Word", "Status", "Cause", "Cure"],
      rows(WORDS).map(([word, { statuses, cause, cure }]) => [code(word), statuses.join(", "), cause, cure]),
    ),
};
