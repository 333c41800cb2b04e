/** Small things that the page remembers in this browser: layouts, colours, filters. */

const PREFIX = 'skein.';

/** Undefined where nothing was kept, or where the browser keeps nothing. */
export function readKept<Value>(name: string): Value | undefined {
  try {
    const text = localStorage.getItem(PREFIX + name);
    return text === null ? undefined : (JSON.parse(text) as Value);
  } catch {
    return undefined;
  }
}

export function keep(name: string, value: unknown): void {
  try {
    localStorage.setItem(PREFIX + name, JSON.stringify(value));
  } catch {
    // A full or a closed store costs a convenience, nothing else.
  }
}
