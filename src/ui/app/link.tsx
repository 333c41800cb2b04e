import type { ComponentChildren, HTMLAttributes } from 'preact';
import { placePath, useRouter, type Place } from './router.ts';

interface LinkProps extends Omit<HTMLAttributes<HTMLAnchorElement>, 'href' | 'role'> {
  /** What differs from the place that is shown. */
  readonly to: Partial<Place>;
  readonly children: ComponentChildren;
}

/** A real link, so that it opens in a new tab too; a plain click changes the view without a request. */
export function Link({ to, children, onClick, ...rest }: LinkProps) {
  const { place, go } = useRouter();
  return (
    <a
      {...rest}
      href={placePath({ ...place, ...to })}
      onClick={(event) => {
        if (typeof onClick === 'function') onClick(event);
        if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
        event.preventDefault();
        go(to);
      }}
    >
      {children}
    </a>
  );
}
