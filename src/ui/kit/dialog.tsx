import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';

export interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
  /** Buttons, the one that acts last. */
  readonly actions?: ComponentChildren;
  readonly onSubmit?: () => void;
  readonly isWide?: boolean;
}

/** What needs an answer before anything else. The browser keeps the focus inside and gives it back. */
export function Dialog(props: DialogProps) {
  const { title, onClose, children, actions, onSubmit, isWide = false } = props;
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  return (
    <dialog
      ref={dialog}
      class={isWide ? 'dlg wide' : 'dlg'}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onKeyDown={(event) => event.stopPropagation()}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          onSubmit?.();
        }}
      >
        <h2 class="dlg-h" id={id}>
          {title}
        </h2>
        <div class="dlg-b">{children}</div>
        {actions && <div class="dlg-f">{actions}</div>}
      </form>
    </dialog>
  );
}
