/** The results that a request asks for, each as what is to be done for it. */
import * as v from "valibot";

import { PROVENANCE, pixelAnalyses } from "../contract/members.ts";
import { formatsOf, type Srcset } from "../contract/outputs.ts";
import { isSet, type Processing } from "../contract/request.ts";
import { ApiError } from "../errors.ts";
import { OPERATIONS } from "../image/operations.ts";
import type { Output } from "../image/plan/output.ts";
import type { Base, OperationParams, Order, ResultOrder } from "../image/render/order.ts";
import type { Store } from "../storage/providers.ts";

export interface Entry extends ResultOrder {
  /** Its path in the request, as messages show it; absent where it is the request itself. */
  readonly member?: string;
  readonly store: Store | undefined;
  /** What its file name has besides that of the original. */
  readonly suffix?: string;
  /** A file name that is taken as it is. */
  readonly fileName?: string | undefined;
  /** Its analysis says where the original is from. */
  readonly tellsProvenance?: boolean;
  /** Its format as an srcset names it; absent in other sets. */
  readonly shownAs?: string;
}

/** What a request says about all of its results: of one alone its own entry says it. */
export function beginningOf(processing: Processing): Pick<Order<Entry>, "input" | "operations" | "analyze"> {
  const { input, analyze } = processing;
  if (!isSet(processing)) return { input, operations: {}, analyze: undefined };
  return { input, operations: operationsIn(processing), analyze: pixelAnalyses(analyze) };
}

/** The members of a request that are operations. */
function operationsIn(processing: Processing): OperationParams {
  return Object.fromEntries(Object.entries(processing).filter(([name]) => Object.hasOwn(OPERATIONS, name)));
}

/** @param base what the results begin with */
export function entriesOf(processing: Processing, base: Base): readonly Entry[] {
  const { outputs = {}, srcset } = processing;
  if (!isSet(processing)) return [onlyEntry(processing)];
  if (srcset) return srcsetEntries(processing, srcset, base);
  return Object.entries(outputs).map(([name, { output, optimize, store, analyze, ...operations }]) => {
    const isOwnName = output?.name !== undefined && output.name !== processing.output?.name;
    const fileName = isOwnName ? output.name : undefined;
    return {
      name,
      member: `outputs.${name}`,
      operations,
      output,
      optimize,
      store,
      analyze: pixelAnalyses(analyze),
      tellsProvenance: analyze?.includes(PROVENANCE) === true,
      suffix: name,
      fileName,
    };
  });
}

/** The result of a request for one. */
function onlyEntry(processing: Processing): Entry {
  const { output, optimize, store, analyze } = processing;
  return {
    name: "",
    operations: operationsIn(processing),
    output,
    optimize,
    store,
    analyze: pixelAnalyses(analyze),
    tellsProvenance: analyze?.includes(PROVENANCE) === true,
  };
}

function srcsetEntries({ output, optimize, store }: Processing, srcset: Srcset, base: Base): readonly Entry[] {
  return shownWidths(srcset, base).flatMap((width) => {
    const resize = { resize: v.parse(OPERATIONS.resize.params, { width }) };
    return formatsOf(srcset, base.opaque).map((format) => ({
      name: `${width}.${format}`,
      member: "srcset",
      operations: width === base.width ? {} : resize,
      output: { ...output, format } satisfies Output,
      optimize,
      store,
      analyze: undefined,
      suffix: `${width}`,
      shownAs: format,
    }));
  });
}

/** The widths that the picture has; its own where it has none of them. */
function shownWidths({ widths }: Srcset, base: Base): number[] {
  const there = widths.filter((width) => width <= base.width).toSorted((one, other) => one - other);
  return there.length > 0 ? there : [base.width];
}

/** The widths that the picture does not have. */
export function skippedWidths({ widths }: Srcset, base: Base): number[] {
  return widths.filter((width) => width > base.width).toSorted((one, other) => one - other);
}

/** Members with which messages about one of several results begin. */
const MEMBERS = /^(?:[a-z_]+)(?:\.[a-z_.]+)?(?=[ :])/;
const KNOWN: ReadonlySet<string> = new Set([...Object.keys(OPERATIONS), "output", "optimize", "store", "analyze"]);

/** A refusal of one of several results, with the member that it is about; other errors stay what they are. */
export function refusalOf({ member, name, shownAs }: Entry, error: unknown): unknown {
  if (member === undefined || !(error instanceof ApiError) || error.status !== 422) return error;
  const { message } = error;
  if (shownAs !== undefined) return new ApiError(422, `${member}, ${name}: ${message}`, { cause: error });
  const [path = ""] = MEMBERS.exec(message) ?? [];
  const joint = KNOWN.has(path.split(".")[0] ?? "") ? "." : ": ";
  return new ApiError(422, `${member}${joint}${message}`, { cause: error });
}
