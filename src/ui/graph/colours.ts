/** Colours of the theme for what is drawn without CSS. */

export interface Palette {
  readonly types: readonly string[];
  readonly edge: string;
  readonly edgeStrong: string;
  readonly label: string;
  readonly ink: string;
  readonly ink3: string;
  readonly halo: string;
  readonly accent: string;
  readonly font: string;
}

const TYPES = 8;

/** `types[0]` is for types without a colour of their own. */
export function readPalette(): Palette {
  const style = getComputedStyle(document.documentElement);
  const read = (name: string) => style.getPropertyValue(name).trim();
  return {
    types: [
      read('--c-type-other'),
      ...Array.from({ length: TYPES }, (_, i) => read(`--c-type-${i + 1}`)),
    ],
    edge: read('--c-edge'),
    edgeStrong: read('--c-edge-strong'),
    label: read('--c-label'),
    ink: read('--c-ink'),
    ink3: read('--c-ink-3'),
    halo: read('--c-halo'),
    accent: read('--c-accent'),
    font: read('--font-ui'),
  };
}

/** A colour of six digits, mixed with another one: `share` of the first. */
export function mix(colour: string, other: string, share: number): string {
  const channels = [1, 3, 5].map((at) => {
    const [a, b] = [colour, other].map((one) => Number.parseInt(one.slice(at, at + 2), 16));
    return Math.round((a ?? 0) * share + (b ?? 0) * (1 - share))
      .toString(16)
      .padStart(2, '0');
  });
  return `#${channels.join('')}`;
}
