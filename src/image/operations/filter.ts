/** The filters of a request, one after the other. */
import * as v from "valibot";

import { inSentOrder, record } from "../../fields.ts";
import { type FilterName, FILTERS } from "../filters.ts";
import { opaqueAfter, sizeAfter } from "../plan/plan.ts";
import type { FilterRow, FilterStage } from "../steps/filter.ts";
import { operation, type Step } from "../steps/operation.ts";

type FilterEntries = { [Name in FilterName]: v.OptionalSchema<(typeof FILTERS)[Name]["params"], undefined> };

const rows = Object.entries<FilterRow>(FILTERS);
const entries = Object.fromEntries(rows.map(([name, row]) => [name, entryOf(row)])) as unknown as FilterEntries;
const aliases = rows.flatMap(([name, row]) => (row.aliases ?? []).map((alias) => [alias, name] as const));

/** What a filter takes, with its sentence for the document. */
function entryOf({ params, summary, aliases: others = [] }: FilterRow) {
  const also = others.map((alias) => ` Also accepted as \`${alias}\`.`).join("");
  return v.optional(v.pipe(params, v.description(summary + also)));
}

export const filter = operation({
  summary: "Filters, any number of them, applied in the order in which they are named.",
  aliases: ["stylize"],
  memberAliases: Object.fromEntries(aliases),
  params: inSentOrder(record(entries)),
  plan(params, { size, opaque, colorOf }) {
    const steps: Step[] = [];
    let stage: FilterStage = { size, opaque, colorOf };
    for (const [name, settings] of Object.entries(params)) {
      if (settings === undefined) continue;
      const row: FilterRow = FILTERS[name as FilterName];
      for (const step of row.plan(settings as never, stage)) {
        steps.push(step);
        stage = { size: sizeAfter(step, stage.size), opaque: opaqueAfter(step, stage.opaque), colorOf };
      }
    }
    return steps;
  },
});
