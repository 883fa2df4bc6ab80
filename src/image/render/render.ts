/**
 * Results of one original, from file to files: identify, plan, decode, work, encode. Several share the operations of the
 * request and what else they have in common, and are admitted as a whole; of one alone each attempt waits for its own
 * memory.
 */
import { isolateBudget } from "../../scheduler/budget.ts";
import { JobLimits } from "../../scheduler/job-limits.ts";
import type { SharedBytes } from "../../scheduler/shared-bytes.ts";
import type { TimeSlice } from "../../scheduler/time-slice.ts";
import { withoutMemory } from "../codec/guard.ts";
import { readHeaders } from "../plan/detect.ts";
import { withInputOptions } from "../plan/planned-picture.ts";
import { analyzePicture } from "./analyze.ts";
import type { Made, Order, Original, Rendered, ResultFile, ResultOrder, SingleOrder } from "./order.ts";
import { HeldSource } from "./origin.ts";
import { provenanceOf } from "./provenance.ts";
import { type Making, makeAlone, makeTogether } from "./results/make.ts";
import { commonOf, groupsOf, planBase } from "./results/plan.ts";
import { affordableWork } from "./results/work.ts";

/**
 * Carries out an order.
 * @param source the bytes of the original, which are released when they will not be read again
 * @param made called with each result as soon as it is there, the thread in hand: it must not wait
 * @throws ApiError 415, 422 or 503; what the limits of its job end it with
 */
export async function render<Entry extends ResultOrder>(
  source: SharedBytes,
  order: Order<Entry>,
  made: (entry: Entry, result: Made) => void,
): Promise<Rendered> {
  const { jobLimits = new JobLimits(), stopwatch, refusalOf, trace } = order;
  const held = new HeldSource(source);
  try {
    const found = withInputOptions(await readHeaders(source, jobLimits), order.input);
    const stored = { ...found, stopwatch };
    const { width, height, frames } = found.facts;
    jobLimits.caller.describe({ from: found.format.label, width, height, frames });
    const provenance = await provenanceOf(found, order.provenance);
    const base = await planBase(stored, order);
    const entries = order.entries({ ...base.size, opaque: base.opaque });
    jobLimits.caller.describe({ to: entries.map(({ output }) => output?.format ?? "original") });
    const groups = await groupsOf(stored, base, entries, order, provenance);
    const work = entries.length > 1 ? affordableWork(commonOf(stored, base, groups), jobLimits) : undefined;
    const shown = { stored, steps: base.steps, size: base.size };
    const analysis = order.analyze && (await analyzePicture(shown, order.analyze, jobLimits));
    const planned = [base, ...groups.map((group) => group.planned)];
    const faces = planned.find((one) => one.faces)?.faces;
    const focus = planned.find((one) => one.focus)?.focus;
    const making: Making<Entry> = { jobLimits, trace, made, refusalOf };
    if (work) {
      const together = (timeSlice: TimeSlice) =>
        makeTogether(work, held, { ...making, jobLimits: jobLimits.partOf(timeSlice) }, timeSlice);
      await isolateBudget.run(work.estimate, together, jobLimits);
    } else await makeAlone(groups, held, making);
    return { input: { ...stored, faces, focus, provenance }, analysis };
  } catch (error) {
    throw withoutMemory(error);
  } finally {
    held.close();
  }
}

/**
 * Makes one result, without what else a request may ask for. Its bytes are the caller's to release.
 * @param source as `render`
 * @throws as `render`
 */
export async function renderOne(
  source: SharedBytes,
  { operations, output, optimize, ...order }: SingleOrder,
): Promise<{ readonly input: Original; readonly output: ResultFile }> {
  const entry: ResultOrder = { name: "", operations, output, optimize, analyze: undefined };
  const files: ResultFile[] = [];
  const { input } = await render(
    source,
    { ...order, operations: {}, analyze: undefined, entries: () => [entry], refusalOf: (_, error) => error },
    (_, result) => files.push(result.output),
  );
  const [file] = files;
  if (!file) throw new Error("an order of one result made none");
  return { input, output: file };
}
