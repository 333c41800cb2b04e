import { threadPath } from '../data/api.ts';
import { DownloadButton } from './download-button.tsx';

interface Format {
  readonly format: string;
  readonly title: string;
  readonly extension: string;
  readonly about: string;
}

const FORMATS: readonly Format[] = [
  {
    format: 'json',
    title: 'JSON',
    extension: 'json',
    about: 'The graph as one object. It can be imported again.',
  },
  {
    format: 'jsonl',
    title: 'JSONL',
    extension: 'jsonl',
    about: 'The file of the reference memory server. It can be imported again.',
  },
  {
    format: 'graphml',
    title: 'GraphML',
    extension: 'graphml',
    about: 'For Gephi, yEd and other tools for graphs.',
  },
  { format: 'dot', title: 'Graphviz', extension: 'dot', about: 'To draw it. Leaves out facts.' },
  {
    format: 'mermaid',
    title: 'Mermaid',
    extension: 'mmd',
    about: 'To draw it in Markdown. Leaves out facts.',
  },
];

export function ExportBox({ threadId }: { readonly threadId: string }) {
  return (
    <section class="box clip">
      <div class="box-h">
        <h2>Export</h2> <span class="mut">the graph as it is now</span>
      </div>
      <table>
        <tbody>
          {FORMATS.map(({ format, title, extension, about }) => (
            <tr key={format}>
              <td class="med">{title}</td>
              <td class="mut">{about}</td>
              <td class="num">
                <DownloadButton
                  path={`${threadPath(threadId)}/export?format=${format}`}
                  name={`${threadId}.${extension}`}
                  label="Export"
                />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
