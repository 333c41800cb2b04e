import { useState } from 'preact/hooks';
import { Button } from '../kit/button.tsx';

/** Kept as plain text under the name that the page itself reads before its first paint. */
const KEY = 'skein.theme';

export function ThemeButton() {
  const [theme, setTheme] = useState(document.documentElement.dataset['theme'] ?? 'light');
  const other = theme === 'dark' ? 'light' : 'dark';
  return (
    <Button
      look="quiet"
      icon="sun"
      aria-label={`Switch to the ${other} theme`}
      onClick={() => {
        document.documentElement.dataset['theme'] = other;
        try {
          localStorage.setItem(KEY, other);
        } catch {
          // Chosen for this visit alone.
        }
        setTheme(other);
        dispatchEvent(new Event('skein-theme'));
      }}
    />
  );
}
