import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Loading } from '../kit/loading.tsx';
import { Problem } from '../kit/problem.tsx';

/** A component whose code is fetched when it is first shown. */
export function lazy<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): ComponentType<Props> {
  let known: ComponentType<Props> | undefined;
  return function Lazy(props: Props) {
    const [, setLoaded] = useState(known !== undefined);
    const [error, setError] = useState<Error>();
    useEffect(() => {
      if (known !== undefined) return;
      load().then(
        (component) => {
          known = component;
          setLoaded(true);
        },
        () => setError(new Error('This view could not be loaded. Open the page again.')),
      );
    }, []);
    if (error) return <Problem error={error} />;
    const Known = known;
    return Known === undefined ? <Loading rows={6} /> : <Known {...props} />;
  };
}
