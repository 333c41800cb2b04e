/** How important a fact is, from 0 to 1, as a short bar. */
export function ImportanceBar({ value }: { readonly value: number }) {
  const text = `importance ${value}`;
  return (
    <span class="bar" role="img" aria-label={text} title={text}>
      <i style={{ width: `${Math.round(value * 100)}%` }} />
    </span>
  );
}
