import { useRef, useState } from 'preact/hooks';
import { Button } from '../kit/button.tsx';
import { Icon } from '../kit/icon.tsx';

interface DropZoneProps {
  readonly onFile: (file: File) => void;
  readonly isDisabled: boolean;
}

/** Takes a file by drag and drop, or by a button. */
export function DropZone({ onFile, isDisabled }: DropZoneProps) {
  const input = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  const take = (files: FileList | null | undefined) => {
    const file = files?.[0];
    if (file && !isDisabled) onFile(file);
  };
  return (
    <div
      class={isOver ? 'drop over' : 'drop'}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        take(event.dataTransfer?.files);
      }}
    >
      <Icon name="upload" />
      <span class="sp">
        Drop a file here: an export of this server, or the memory file of the reference server.
      </span>
      <input
        ref={input}
        type="file"
        class="sr"
        tabIndex={-1}
        aria-label="File to import"
        accept=".json,.jsonl,.ndjson,.txt"
        onChange={(event) => {
          take(event.currentTarget.files);
          event.currentTarget.value = '';
        }}
      />
      <Button isDisabled={isDisabled} onClick={() => input.current?.click()}>
        Choose a file
      </Button>
    </div>
  );
}
