/** What was done, with the way back. A toast never takes the focus. */
import { createContext, type ComponentChildren } from 'preact';
import { useContext, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Button } from './button.tsx';

export interface Toast {
  readonly text: string;
  /** Quieter, after the text. */
  readonly detail?: string;
  /** The button, such as Undo. */
  readonly action?: { readonly label: string; readonly run: () => void };
}

type ShownToast = Toast & { readonly id: number };

export interface Toaster {
  readonly show: (toast: Toast) => void;
  /** Runs the action of the newest toast that had one, also after it went. */
  readonly runLast: () => void;
}

const SHOWN_MS = 8_000;
const SHOWN_MAX = 3;

const ToasterContext = createContext<Toaster>({ show: () => {}, runLast: () => {} });

export function useToaster(): Toaster {
  return useContext(ToasterContext);
}

export function Toasts({ children }: { readonly children: ComponentChildren }) {
  const [toasts, setToasts] = useState<readonly ShownToast[]>([]);
  const lastAction = useRef<(() => void) | undefined>(undefined);
  const nextId = useRef(0);
  const close = (id: number) => setToasts((all) => all.filter((toast) => toast.id !== id));
  const toaster = useMemo<Toaster>(
    () => ({
      show(toast) {
        const id = nextId.current++;
        if (toast.action) lastAction.current = toast.action.run;
        setToasts((all) => [...all, { ...toast, id }].slice(-SHOWN_MAX));
      },
      runLast() {
        const run = lastAction.current;
        lastAction.current = undefined;
        setToasts((all) => all.filter(({ action }) => action?.run !== run));
        run?.();
      },
    }),
    [],
  );
  return (
    <ToasterContext.Provider value={toaster}>
      {children}
      <div class="toasts" role="status" aria-live="polite">
        {toasts.map((toast) => (
          <ToastBox key={toast.id} toast={toast} onClose={() => close(toast.id)} />
        ))}
      </div>
    </ToasterContext.Provider>
  );
}

function ToastBox({ toast, onClose }: { readonly toast: Toast; readonly onClose: () => void }) {
  const { text, detail, action } = toast;
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const stay = () => clearTimeout(timer.current);
  const leave = () => {
    stay();
    timer.current = setTimeout(onClose, SHOWN_MS);
  };
  useEffect(() => {
    leave();
    return stay;
  }, []);
  return (
    <div class="toast" onMouseEnter={stay} onMouseLeave={leave} onFocusIn={stay} onFocusOut={leave}>
      <span>
        {text} {detail && <span class="sub">{detail}</span>}
      </span>
      {action && (
        <Button
          isSmall
          icon="undo"
          onClick={() => {
            onClose();
            action.run();
          }}
        >
          {action.label} <kbd>U</kbd>
        </Button>
      )}
      <Button isSmall look="quiet" icon="x" aria-label="Close" onClick={onClose} />
    </div>
  );
}
