/** A body that comes a few bytes at a time. */

export interface SlowBody {
  readonly stream: ReadableStream<Uint8Array>;
  readonly length: number;
  /** Bytes that have been taken from it. */
  sent(): number;
}

export function slowBody(text: string, bytesAtOnce: number, waitMs: number): SlowBody {
  const bytes = new TextEncoder().encode(text);
  let sent = 0;
  const stream = new ReadableStream<Uint8Array>({
    async pull(controller) {
      await scheduler.wait(waitMs);
      controller.enqueue(bytes.slice(sent, sent + bytesAtOnce));
      sent += bytesAtOnce;
      if (sent >= bytes.length) controller.close();
    },
  });
  return { stream, length: bytes.length, sent: () => sent };
}
