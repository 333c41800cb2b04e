import { useEffect, useState } from 'preact/hooks';

const SHOWN_AFTER_MS = 150;

/** Bars in the place of rows that are on their way; nothing for what comes at once. */
export function Loading({ rows = 3 }: { readonly rows?: number }) {
  const [isShown, setShown] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), SHOWN_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
  if (!isShown) return null;
  return (
    <div class="loading" role="status" aria-label="Loading">
      {Array.from({ length: rows }, (_, i) => (
        <i key={i} />
      ))}
    </div>
  );
}
