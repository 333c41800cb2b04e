/** The one way in which texts that are made as they are read become a body. */

/** Reads on when the client has taken what was written. A stream that fails never ends as if complete. */
export function toByteStream(
  texts: AsyncGenerator<string, void, undefined>,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await texts.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    async cancel() {
      await texts.return();
    },
  });
}
