/**
 * Building blocks of every schema. Each sets the sentence that names the rule, so that the check, its message, its
 * type and its documentation come from one place. A message follows the member's path ("resize.width must be …") and
 * never contains what was received.
 */
import * as v from "valibot";

import { MAX_URL_CHARACTERS } from "./limits.ts";

/** An integer between two bounds, both included. */
export function integer(min: number, max: number) {
  const rule = `must be an integer between ${min} and ${max}`;
  return v.pipe(v.number(rule), v.integer(rule), v.minValue(min, rule), v.maxValue(max, rule));
}

/** An integer that may also come as a string of digits, as some clients send widths and coordinates. */
export function lenientInteger(min: number, max: number) {
  const rule = min === 1 ? "must be a positive integer" : `must be an integer between ${min} and ${max}`;
  const bound = `must be at most ${max}`;
  const digits = v.pipe(v.string(rule), v.regex(/^-?\d{1,9}$/, rule), v.transform(Number));
  return v.pipe(
    v.union([v.number(rule), digits], rule),
    v.integer(rule),
    v.minValue(min, rule),
    v.maxValue(max, min === 1 ? bound : rule),
  );
}

/** A side in whole pixels, or below 1 as a part of the whole side. */
export function sideOrPart(max: number) {
  const rule = "must be a positive integer, or a part of the side between 0 and 1";
  const digits = v.pipe(v.string(rule), v.regex(/^\d{1,9}$/, rule), v.transform(Number));
  return v.pipe(
    v.union([v.number(rule), digits], rule),
    v.gtValue(0, rule),
    v.check((value) => value < 1 || Number.isInteger(value), rule),
    v.maxValue(max, `must be at most ${max}`),
  );
}

/** A number between two bounds, both included. */
export function decimal(min: number, max: number) {
  const rule = `must be a number between ${min} and ${max}`;
  return v.pipe(v.number(rule), v.minValue(min, rule), v.maxValue(max, rule));
}

/** A number above zero and not above `max`. */
export function positiveDecimal(max: number) {
  const rule = `must be a number above 0 and at most ${max}`;
  return v.pipe(v.number(rule), v.gtValue(0, rule), v.maxValue(max, rule));
}

export function flag() {
  return v.boolean("must be true or false");
}

/** One of a closed list of words. */
export function oneOf<const Options extends readonly [string, ...string[]]>(options: Options) {
  return v.picklist(options, `must be one of ${options.join(", ")}`);
}

/** A line of text; control characters are refused. */
export function text(min: number, max: number) {
  const rule =
    min > 0 ? `must be a text of ${min} to ${max} characters` : `must be a text of at most ${max} characters`;
  return v.pipe(
    v.string(rule),
    v.minLength(min, rule),
    v.maxLength(max, rule),
    // oxlint-disable-next-line no-control-regex -- refusing control characters is the point
    v.regex(/^[^\u0000-\u001f\u007f]*$/, "must not contain control characters"),
  );
}

export type ColorForm = "rgb" | "rgba" | "argb";

/** A hex color: RGB or RRGGBB, with alpha also RRGGBBAA (`rgba`) or AARRGGBB (`argb`); a leading # is optional. */
export function hexColor(form: ColorForm = "rgba") {
  const long = { rgb: "", rgba: " or RRGGBBAA", argb: " or AARRGGBB" }[form];
  const rule = `must be a hex color in the form RGB, RRGGBB${long}`;
  const pattern = form === "rgb" ? /^#?(?:[\da-f]{3}|[\da-f]{6})$/i : /^#?(?:[\da-f]{3}|[\da-f]{6}|[\da-f]{8})$/i;
  return v.pipe(v.string(rule), v.regex(pattern, rule));
}

/** An absolute http or https URL. Whether its address may be called is decided where it is called. */
export function httpUrl(maxCharacters = MAX_URL_CHARACTERS) {
  const rule = "must be a valid http or https URL";
  return v.pipe(
    v.string(rule),
    v.maxLength(maxCharacters, `must be at most ${maxCharacters} characters`),
    v.check((value) => {
      const url = URL.parse(value);
      return url !== null && (url.protocol === "http:" || url.protocol === "https:");
    }, rule),
  );
}

/** An object with exactly these members; others are refused by name. */
export function record<const Entries extends v.ObjectEntries>(entries: Entries) {
  return v.strictObject(entries, (issue) =>
    issue.expected === "never" ? "is not a known parameter" : issue.path ? "is required" : "must be an object",
  );
}

/** Names that objects of JavaScript have of themselves: a schema of names and values passes over them in silence. */
const RESERVED = ["constructor", "prototype", "__proto__"] as const;
export const reservedRule = `must not have a member named ${RESERVED.join(", ")}`;

/** Whether a value has a member by a name that nobody may use. */
export function hasReserved(value: unknown): boolean {
  return typeof value === "object" && value !== null && RESERVED.some((name) => Object.hasOwn(value, name));
}

/** An object of names and values; a list is none, and no name is passed over. */
export function dictionary<const Key extends v.GenericSchema<string, string>, const Value extends v.GenericSchema>(
  key: Key,
  value: Value,
  rule: string,
) {
  const members = judgedAs(v.record(key, value, rule), hasReserved, v.never(reservedRule));
  return judgedAs(members, Array.isArray, v.never(rule));
}

/** A whole number above zero and not above `max`. */
export function positiveInteger(max: number) {
  const rule = "must be a positive integer";
  return v.pipe(v.number(rule), v.integer(rule), v.minValue(1, rule), v.maxValue(max, `must be at most ${max}`));
}

/** Puts the members of a schema's output into the order in which they were sent. */
export function inSentOrder<Schema extends v.GenericSchema<unknown, object>>(schema: Schema): Schema {
  return {
    ...schema,
    "~run"(dataset: v.UnknownDataset, config: v.Config<v.BaseIssue<unknown>>) {
      const sent = typeof dataset.value === "object" && dataset.value !== null ? Object.keys(dataset.value) : [];
      const checked = schema["~run"](dataset, config);
      if (!checked.typed) return checked;
      const members = new Map(Object.entries(checked.value));
      const ordered = new Map(sent.flatMap((key) => (members.has(key) ? [[key, members.get(key)] as const] : [])));
      return { ...checked, value: Object.fromEntries([...ordered, ...members]) };
    },
  };
}

/** A schema of several kinds whose values of one kind are judged as that alone: the rule is named that they break. */
export function judgedAs<Schema extends v.GenericSchema>(
  schema: Schema,
  isOf: (value: unknown) => boolean,
  kind: v.GenericSchema,
): Schema {
  return {
    ...schema,
    "~run"(dataset: v.UnknownDataset, config: v.Config<v.BaseIssue<unknown>>) {
      return (isOf(dataset.value) ? kind : schema)["~run"](dataset, config);
    },
  };
}

/** A whole number in a query string. */
export function digits(min: number, max: number) {
  const rule =
    max === Number.MAX_SAFE_INTEGER ? "must be a whole number" : `must be an integer between ${min} and ${max}`;
  return v.pipe(
    v.string(rule),
    v.regex(/^\d{1,15}$/, rule),
    v.check((value) => Number(value) >= min && Number(value) <= max, rule),
  );
}
