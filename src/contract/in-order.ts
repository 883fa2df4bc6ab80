/** The same text for the same request, in whatever order its members were written. */

/**
 * The members of a JSON value in the order of their names, those of filters as they are: their order has a meaning.
 * Members that are undefined are left out.
 */
export function inOrder(value: unknown, isOrdered = false): unknown {
  if (Array.isArray(value)) return value.map((member) => inOrder(member));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(([, member]) => member !== undefined);
  if (isOrdered) return entries.map(([name, member]) => [name, inOrder(member)]);
  const sorted = entries.toSorted(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(sorted.map(([name, member]) => [name, inOrder(member, name === "filter")]));
}
