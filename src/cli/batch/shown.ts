/** A text of a service, a store or a file, without what a terminal would obey. */
export function shown(text: string): string {
  // oxlint-disable-next-line no-control-regex -- leaving control characters out is the point
  return text.replaceAll(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, "");
}
