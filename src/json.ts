/** JSON that a caller sent. */
import { ApiError } from "./errors.ts";
import { MAX_JSON_DEPTH } from "./limits.ts";

/**
 * The object in a JSON text.
 * @param subject what the text is, at the start of a sentence: "The data field"
 * @throws ApiError 400 when it is not UTF-8, not JSON or not an object, 422 when it is nested deeper than MAX_JSON_DEPTH
 */
export function parseJsonObject(bytes: Uint8Array, subject: string): object {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes));
  } catch {
    // Without the parser's error as the cause: it quotes what was sent.
    throw new ApiError(400, `${subject} is not valid JSON`);
  }
  if (!isObject(value)) throw new ApiError(400, `${subject} must be a JSON object`);
  if (isDeeperThan(value, MAX_JSON_DEPTH))
    throw new ApiError(422, `${subject} is nested deeper than ${MAX_JSON_DEPTH} levels`);
  return value;
}

/** Whether a value is an object with members. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether a value has members below so many levels. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((member) => isDeeperThan(member, levels - 1));
}
