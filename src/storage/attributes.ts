/** Building blocks of the providers' schemas. What ends up in a host name, a path or a header is checked here. */
import * as v from "valibot";

import { dictionary, text } from "../fields.ts";
import { MAX_HEADER_VALUE_CHARACTERS } from "../limits.ts";
import { MAX_CREDENTIAL_CHARACTERS, MAX_OBJECT_KEY_BYTES, MAX_OBJECT_METADATA_BYTES } from "../limits/stores.ts";

/** A key, a secret or a user name: printable ASCII without spaces. */
export function credential() {
  return v.pipe(text(1, MAX_CREDENTIAL_CHARACTERS), v.regex(/^[!-~]*$/, "must be printable ASCII without spaces"));
}

/** A bucket whose name becomes part of a host name. */
export function hostBucket() {
  return pattern(
    /^[a-z\d](?:[a-z\d-]{1,61})[a-z\d]$/,
    "must be a bucket name of lower-case letters, digits and hyphens",
  );
}

/** A bucket whose name may have dots and, on some providers, underscores, and so may be unfit for a host name. */
export function dottedBucket() {
  return pattern(
    /^(?!.*\.\.)[a-z\d][a-z\d._-]{1,220}[a-z\d]$/,
    "must be a bucket name of lower-case letters, digits, dots, hyphens and underscores",
  );
}

export function region() {
  return pattern(/^[a-z\d](?:[a-z\d-]{0,38}[a-z\d])?$/, "must be a region of lower-case letters, digits and hyphens");
}

/** A text of a given form; `rule` says which. */
export function pattern(form: RegExp, rule: string) {
  return v.pipe(v.string(rule), v.regex(form, rule));
}

const pathRule = "must be a path without control characters and without . and .. segments";

/**
 * Where the object goes. Segments of dots are refused because URLs cannot carry them: `a/../b` would be signed as one
 * path and sent as another.
 */
export function objectPath() {
  const bound = `must be at most ${MAX_OBJECT_KEY_BYTES} bytes`;
  return v.pipe(v.string(pathRule), v.maxBytes(MAX_OBJECT_KEY_BYTES, bound), v.check(isSafePath, pathRule));
}

/** Whether a path can be sent as it is: well-formed Unicode, no control characters, no dot segments. */
export function isSafePath(path: string): boolean {
  // oxlint-disable-next-line no-control-regex -- refusing control characters is the point
  return path.isWellFormed() && !/[\u0000-\u001f\u007f-\u009f]/.test(path) && !/(?:^|\/)\.{1,2}(?:\/|$)/.test(path);
}

/** Headers may hold more than ASCII, but every provider signs and shows other characters differently. */
const asciiValue = v.pipe(
  v.string("must be a text"),
  v.maxLength(MAX_HEADER_VALUE_CHARACTERS, `must be at most ${MAX_HEADER_VALUE_CHARACTERS} characters`),
  v.regex(/^[ -~]*$/, "must be printable ASCII"),
);

/** Custom metadata: names by `form`, printable ASCII values. */
export function metadata(form = /^[A-Za-z\d_-]+$/, names = "letters, digits, hyphens and underscores") {
  return v.pipe(
    dictionary(pattern(form, `must be named by ${names}`), asciiValue, "must be an object of texts"),
    v.check(
      (members) => Object.entries(members).flat().join("").length <= MAX_OBJECT_METADATA_BYTES,
      `must have at most ${MAX_OBJECT_METADATA_BYTES} characters, names and values together`,
    ),
  );
}

export const OBJECT_HEADERS = [
  "Cache-Control",
  "Content-Type",
  "Content-Encoding",
  "Content-Language",
  "Content-Disposition",
] as const;

/** Headers that the stored object will be served with: these names only, in any case. */
export function objectHeaders(names: readonly string[]) {
  const known = new Set(names.map((name) => name.toLowerCase()));
  const name = v.pipe(
    v.string(),
    v.check((value) => known.has(value.toLowerCase()), `is not one of the allowed headers ${names.join(", ")}`),
  );
  return dictionary(name, asciiValue, "must be an object of texts");
}
