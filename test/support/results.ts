/** Several results of one picture, as tests ask the engine for them. */
import * as v from "valibot";

import { OPERATIONS } from "../../src/image/operations.ts";
import type { Order, ResultOrder } from "../../src/image/render/order.ts";
import { render } from "../../src/image/render/render.ts";
import { SharedBytes } from "../../src/scheduler/shared-bytes.ts";
import type { RenderedFile } from "./render.ts";

/** A result of this width, as WebP unless told otherwise. */
export function entry(width: number, more: Partial<ResultOrder> = {}): ResultOrder {
  const operations = { resize: v.parse(OPERATIONS.resize.params, { width }) };
  const whole = { operations, output: { format: "webp" as const }, optimize: undefined, analyze: undefined };
  return { name: `${width}.${more.output?.format ?? "webp"}`, ...whole, ...more };
}

/** What is done for all results, and the bytes that they are made of. */
export type SetOrder = Partial<Order<ResultOrder>> & { readonly bytes: Uint8Array };

/** Files of the results by their names, made of a copy of `bytes`. */
export async function renderedSet(
  entries: readonly ResultOrder[],
  { bytes, ...order }: SetOrder,
): Promise<Map<string, RenderedFile["output"]>> {
  const made = new Map<string, RenderedFile["output"]>();
  const whole = { operations: {}, analyze: undefined, overlays: new Map<string, Uint8Array>(), accept: undefined };
  const refusals = { entries: () => entries, refusalOf: (_entry: ResultOrder, error: unknown) => error };
  await render(SharedBytes.of(bytes.slice()), { ...whole, ...refusals, ...order }, ({ name }, { output }) => {
    made.set(name, { ...output, bytes: output.file.bytes.slice() });
  });
  return made;
}
