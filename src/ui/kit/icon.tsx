import { ICON_PATHS, type IconName } from './icon-paths.ts';

/** Beside its word, or inside of something that has a label: by itself it says nothing to a screen reader. */
export function Icon({ name }: { readonly name: IconName }) {
  const size = name === 'skein' ? 20 : 16;
  return (
    <svg class="ic" viewBox={`0 0 ${size} ${size}`} aria-hidden="true">
      <path d={ICON_PATHS[name]} />
    </svg>
  );
}
