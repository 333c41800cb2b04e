import type { ImportPreview } from '../text/import-preview.ts';
import { formatCount } from '../text/numbers.ts';

/** What an import of the file would do, by kind. */
export function PreviewCounts({ preview }: { readonly preview: ImportPreview }) {
  const { entities, facts, relations, others, faultCount } = preview;
  const rows = [
    ['Entities', entities],
    ['Facts', facts],
    ['Relations', relations],
  ] as const;
  return (
    <table class="preview">
      <thead>
        <tr>
          <th>In the file</th>
          <th class="num">New</th>
          <th class="num">Known already</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(([title, { fresh, known }]) => (
          <tr key={title}>
            <td>{title}</td>
            <td class="num">{formatCount(fresh)}</td>
            <td class="num mut">{formatCount(known)}</td>
          </tr>
        ))}
        {others > 0 && (
          <tr>
            <td>Other records, such as turns and history</td>
            <td class="num">{formatCount(others)}</td>
            <td class="num mut">–</td>
          </tr>
        )}
        <tr>
          <td>Faulty lines</td>
          <td class={faultCount > 0 ? 'num fault' : 'num'}>{formatCount(faultCount)}</td>
          <td />
        </tr>
      </tbody>
    </table>
  );
}
