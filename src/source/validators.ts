/** By what an origin tells whether an image has changed (RFC 9110 section 8.8). */

export interface Validators {
  readonly etag?: string;
  readonly modified?: string;
}

/** The headers of a request for an image only if it has changed. */
export function conditionsOf({ etag, modified }: Validators): Headers {
  const headers = new Headers();
  if (etag !== undefined) headers.set("if-none-match", etag);
  else if (modified !== undefined) headers.set("if-modified-since", modified);
  return headers;
}

/** What an origin said of an image. */
export function validatorsOf(headers: Headers): Validators {
  const [etag, modified] = [headers.get("etag"), headers.get("last-modified")];
  return { ...(etag !== null && { etag }), ...(modified !== null && { modified }) };
}
