/** The engine from file to file, as tests call it. */
import type { FormatDefinition } from "../../src/image/codec/format.ts";
import type { Original, ResultFile, SingleOrder } from "../../src/image/render/order.ts";
import { renderOne } from "../../src/image/render/render.ts";
import { SharedBytes } from "../../src/scheduler/shared-bytes.ts";

/** A rendered picture with its bytes at hand. */
export interface RenderedFile {
  readonly input: Original;
  readonly output: ResultFile & { readonly bytes: Uint8Array; readonly format: FormatDefinition };
}

/** Carries out an order on a copy of `bytes`, for the engine may free what it is given. */
export function rendered(bytes: Uint8Array, order: Partial<SingleOrder> = {}): Promise<RenderedFile> {
  return renderedFrom(bytes.slice(), order);
}

/** Carries out an order on bytes that are the engine's from then on. */
export async function renderedFrom(own: Uint8Array, order: Partial<SingleOrder> = {}): Promise<RenderedFile> {
  const whole = { operations: {}, output: undefined, optimize: undefined, overlays: new Map(), accept: undefined };
  const { input, output } = await renderOne(SharedBytes.of(own), { ...whole, ...order });
  return { input, output: { ...output, bytes: output.file.bytes } };
}
