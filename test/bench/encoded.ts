/** Files of the engine, for benches that compare formats. */
import type { FormatDefinition } from "../../src/image/codec/format.ts";
import { identify } from "../../src/image/plan/detect.ts";
import type { Objective } from "../../src/image/plan/output.ts";
import { planSteps, storedSize } from "../../src/image/plan/plan.ts";
import { optimized } from "../../src/image/search/attempts.ts";
import { SharedBytes } from "../../src/scheduler/shared-bytes.ts";

/** What the service answers where a request names a format. */
export async function encodedFor(
  original: Buffer,
  format: FormatDefinition,
  objective: Objective,
): Promise<Uint8Array> {
  const source = SharedBytes.of(new Uint8Array(original));
  const stored = identify(source.bytes);
  const plan = planSteps(storedSize(stored.facts), []);
  const best = await optimized({ stored, plan, format, objective, isLast: true }, source);
  if (!best) throw new Error("nothing was made");
  return best.file.bytes;
}
