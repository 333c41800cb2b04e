import { Link } from '../app/link.tsx';
import type { ColourOf } from '../data/type-colours.ts';
import { Stored } from './text.tsx';

export interface EntityLinkProps {
  readonly name: string;
  /** For the colour of the dot; no dot where it is not known. */
  readonly type?: string | undefined;
  readonly colourOf?: ColourOf | undefined;
}

/** An entity's name, which opens its card. */
export function EntityLink({ name, type, colourOf }: EntityLinkProps) {
  return (
    <Link class="ent" to={{ view: 'graph', entity: name, query: undefined, open: undefined }}>
      {type !== undefined && colourOf && <TypeDot colour={colourOf(type)} />}
      <Stored text={name} class="ell" />
    </Link>
  );
}

export function TypeDot({ colour }: { readonly colour: number }) {
  return <i class={colour === 0 ? 'dot' : `dot t${colour}`} />;
}
