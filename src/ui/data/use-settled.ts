import { useEffect, useState } from 'preact/hooks';

const SETTLED_MS = 250;

/** A value that somebody types, once it has stood for a moment: each question costs a request. */
export function useSettled<Value>(value: Value): Value {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), SETTLED_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
