/** What came of a job, as answers say it and as it is counted. */
import { isSet, type Processing } from "../contract/request.ts";
import type {
  AnalysisAnswers,
  InputMetadata,
  OutputMetadata,
  Processed,
  SetSuccess,
  Success,
} from "../contract/response.ts";
import type { Result, StoredResult } from "./job.ts";

/** The answer to a request for one result, as far as it speaks of the work. */
interface SingleAnswer {
  readonly input: InputMetadata;
  readonly output: OutputMetadata;
  /** What was asked for with `analyze`. */
  readonly analysis?: AnalysisAnswers | undefined;
}

/** An answer to a request, as far as it speaks of the work. */
export type Answer = SingleAnswer | Omit<SetSuccess, "success" | "code" | "id">;

/** The answer to a request, in the shape for one result or for several. */
export function answerOf(processing: Processing, result: Result): Answer {
  const { input, outputs, ...said } = result;
  if (!isSet(processing)) {
    const { output, analysis } = onlyOf(result);
    return { input, output, ...(analysis && { analysis }) };
  }
  const named = outputs.map(({ name, output, analysis }) => [name, { ...output, ...(analysis && { analysis }) }]);
  return { input, outputs: Object.fromEntries(named), ...said };
}

/**
 * The result of a request for one.
 * @throws Error where there is none
 */
export function onlyOf({ outputs: [only] }: Result): StoredResult {
  if (!only) throw new Error("a job has no result");
  return only;
}

/** What was done for an answer, as it is counted: every result takes a credit. */
export function spentFor(
  answer: Pick<Processed, "input"> & Partial<Pick<SetSuccess, "outputs"> & Pick<Success, "output">>,
): {
  readonly bytesIn: number;
  readonly bytesOut: number;
  readonly credits: number;
} {
  const results = answer.outputs ? Object.values(answer.outputs) : answer.output ? [answer.output] : [];
  const bytesOut = results.reduce((sum, { bytes }) => sum + bytes, 0);
  return { bytesIn: answer.input.bytes, bytesOut, credits: results.length };
}
