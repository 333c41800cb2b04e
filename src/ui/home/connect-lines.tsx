import { connectLines } from '#http/pages/connect-lines.ts';
import { useSession } from '../data/session.ts';
import { CopyButton } from '../kit/copy-button.tsx';

/** The line of each client, with one button to copy all of it. `threadId` gives the client one memory alone. */
export function ConnectLines({ threadId }: { readonly threadId?: string | undefined }) {
  const { mode } = useSession();
  const url = `${location.origin}/mcp${threadId === undefined ? '' : `/${encodeURIComponent(threadId)}`}`;
  return (
    <div>
      <div class="cl">
        <span class="med">MCP address</span>
        <code title={url}>{url}</code>
        <CopyButton text={url} of="the MCP address" />
      </div>
      {connectLines(url, { kind: mode }).map(({ client, place, text }) => (
        <div class="cl" key={client} title={place}>
          <span>
            {client}
            <span class="sr">. {place}</span>
          </span>
          <code title={`${place}\n${text}`}>{text.replaceAll(/\s+/g, ' ')}</code>
          <CopyButton text={text} of={`the line for ${client}`} />
        </div>
      ))}
    </div>
  );
}
