import { gif } from "../../../../src/image/formats/gif.ts";
import { drain, type Pixels } from "../../../support/rows.ts";

export interface Shown {
  readonly delayMs: number;
  readonly pixels: Pixels;
}

/** All frames of a GIF file, decoded. */
export function framesOf(bytes: Uint8Array): [Shown, ...Shown[]] {
  const facts = gif.probe(bytes);
  const { width, height } = facts;
  const shown: Shown[] = [];
  for (const { delayMs, rows } of gif.open(bytes, facts, { box: { x: 0, y: 0, width, height }, width, height })) {
    shown.push({ delayMs, pixels: drain(rows) });
  }
  return shown as [Shown, ...Shown[]];
}
