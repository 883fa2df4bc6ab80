/** Pictures and maps in HEIC and AVIF files, and what becomes of them in requests that keep maps. */
import { beforeAll } from "vitest";

import { checked } from "../../src/contract/message.ts";
import { avif } from "../../src/image/formats/avif.ts";
import { heic } from "../../src/image/formats/heic.ts";
import { OPERATIONS, type OperationName } from "../../src/image/operations.ts";
import type { SingleOrder } from "../../src/image/render/order.ts";
import type { OperationRow } from "../../src/image/steps/operation.ts";
import { gray } from "./gain-maps.ts";
import { decode, encode } from "./jpeg-pixels.ts";
import { rendered } from "./render.ts";
import type { Pixels } from "./rows.ts";

export const FORMATS = { avif, heic };
export type Name = keyof typeof FORMATS;
export const NAMES = ["avif", "heic"] as const;
export const FINE = { lossless: false, quality: 95 } as const;

/** The same gray in both codings, in two sizes. */
const files = new Map<string, Uint8Array>();
export const fileOf = (name: Name, kind: "picture" | "map") => files.get(`${kind}.${name}`) ?? new Uint8Array();

/** Makes them for the tests of a file. */
export function useFiles(): void {
  beforeAll(async () => {
    for (const name of NAMES) {
      for (const [kind, pixels] of [
        ["picture", gray(320, 240)],
        ["map", gray(160, 120)],
      ] as const) {
        const order = { output: { format: name }, optimize: { lossless: false, quality: 90 } } as const;
        files.set(`${kind}.${name}`, (await rendered(encode(pixels), order)).output.bytes);
      }
    }
  });
}

/** The result of a request in which maps are kept. */
export async function result(
  file: Uint8Array,
  options: Pick<Partial<SingleOrder>, "output" | "optimize"> & { operations?: object },
) {
  const operations = Object.entries(options.operations ?? {}).map(([name, params]) => {
    const row: OperationRow = OPERATIONS[name as OperationName];
    return [name, checked(row.params, params)] as const;
  });
  const output = { hdr: "keep", ...options.output } as const;
  return (await rendered(file, { optimize: FINE, ...options, operations: Object.fromEntries(operations), output }))
    .output;
}

/** What a file shows, with no map. */
export async function shown(file: Uint8Array): Promise<Pixels> {
  return decode((await rendered(file, { output: { format: "jpeg" }, optimize: FINE })).output.bytes);
}
