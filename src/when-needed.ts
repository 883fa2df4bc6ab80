/** Values that are made when they are first asked for, so that an isolate does not make them while it starts. */
export function whenNeeded<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => (made ??= { value: make() }).value;
}
