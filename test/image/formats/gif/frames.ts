/** The frames of a GIF file, for tests that compare them. */
import { gif } from "../../../../src/image/formats/gif.ts";
import { UNPAUSED } from "../../../../src/scheduler/time-slice.ts";
import { drain, type Pixels } from "../../../support/rows.ts";

export interface Shown {
  readonly delayMs: number;
  readonly pixels: Pixels;
}

/** All frames of a GIF file, decoded. */
export async function framesOf(bytes: Uint8Array): Promise<[Shown, ...Shown[]]> {
  const facts = gif.read.factsOf(bytes);
  const { width, height } = facts;
  const shown: Shown[] = [];
  for await (const { delayMs, rows } of gif.read.open(
    bytes,
    facts,
    { box: { x: 0, y: 0, width, height }, width, height },
    UNPAUSED,
  )) {
    shown.push({ delayMs, pixels: await drain(rows) });
  }
  return shown as [Shown, ...Shown[]];
}
