/**
 * Makes a value when it is first asked for, and keeps it. Used for what is costly to make and not
 * needed by every call: the Worker's module must be evaluated before its first answer.
 */
export function lazy<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => (made ??= { value: make() }).value;
}
