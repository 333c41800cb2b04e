/** JSON for people: what fits stands on one line, the rest is broken up. */

const LINE_CHARS_MAX = 90;
const INDENT = '  ';

export function formatJson(value: unknown, indent = ''): string {
  const line = onOneLine(value);
  if (typeof value !== 'object' || value === null) return line;
  if (indent.length + line.length <= LINE_CHARS_MAX) return line;
  const inner = indent + INDENT;
  if (Array.isArray(value)) {
    const items = value.map((item) => inner + formatJson(item, inner));
    return `[\n${items.join(',\n')}\n${indent}]`;
  }
  const fields = Object.entries(value).map(
    ([name, field]) => `${inner}${JSON.stringify(name)}: ${formatJson(field, inner)}`,
  );
  return `{\n${fields.join(',\n')}\n${indent}}`;
}

function onOneLine(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(onOneLine).join(', ')}]`;
  const fields = Object.entries(value).map(
    ([name, field]) => `${JSON.stringify(name)}: ${onOneLine(field)}`,
  );
  return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`;
}
