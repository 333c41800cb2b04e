/** The explorer: finds out who asks, then shows the view that the address names. */
import { useCallback, useEffect, useMemo, useState } from 'preact/hooks';
import type { SessionAnswer } from '#http/wire.ts';
import { keepToken, readSession } from '../data/api.ts';
import { SessionContext, toSession } from '../data/session.ts';
import { Problem } from '../kit/problem.tsx';
import { Toasts } from '../kit/toasts.tsx';
import { Frame } from './frame.tsx';
import { listenForKeys } from './keys.ts';
import { placePath, readPlace, RouterContext, type Place, type Router } from './router.ts';
import { SignIn } from './sign-in.tsx';

export function App() {
  const [answer, setAnswer] = useState<SessionAnswer>();
  const [error, setError] = useState<Error>();
  const router = useAddress();
  const load = useCallback(async () => {
    try {
      setError(undefined);
      setAnswer(await readSession());
    } catch (fault) {
      setError(fault instanceof Error ? fault : new Error(String(fault)));
    }
  }, []);
  useEffect(() => void load(), []);
  useEffect(listenForKeys, []);
  if (error) return <Problem error={error} retry={() => void load()} />;
  if (answer === undefined) return null;
  const session = toSession(answer);
  if (session === undefined) {
    const onToken = (token: string) => {
      keepToken(token);
      return load();
    };
    return <SignIn canSignIn={answer.canSignIn} onToken={onToken} />;
  }
  return (
    <SessionContext.Provider value={session}>
      <RouterContext.Provider value={router}>
        <Toasts>
          <Frame />
        </Toasts>
      </RouterContext.Provider>
    </SessionContext.Provider>
  );
}

/** The address of the window as a place, kept in step with the buttons of the browser. */
function useAddress(): Router {
  const [place, setPlace] = useState(() => readPlace(new URL(location.href)));
  useEffect(() => {
    const onPop = () => setPlace(readPlace(new URL(location.href)));
    addEventListener('popstate', onPop);
    return () => removeEventListener('popstate', onPop);
  }, []);
  const go = useCallback((change: Partial<Place>, how: 'push' | 'replace' = 'push') => {
    const next = { ...readPlace(new URL(location.href)), ...change };
    const path = placePath(next);
    if (path !== location.pathname + location.search) {
      if (how === 'push') history.pushState(null, '', path);
      else history.replaceState(null, '', path);
    }
    setPlace(next);
  }, []);
  return useMemo(() => ({ place, go }), [place, go]);
}
