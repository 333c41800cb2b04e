import { useSession } from '../data/session.ts';
import { useFiles } from '../data/threads.ts';
import { Loading } from '../kit/loading.tsx';
import { Problem } from '../kit/problem.tsx';
import { Time } from '../kit/time.tsx';
import { formatBytes } from '../text/numbers.ts';
import { ExportBox } from './export-box.tsx';
import { DownloadButton } from './download-button.tsx';
import { ImportBox } from './import-box.tsx';

/** A thread as a file: out in every format, and back in with a look before. */
export function Files({ threadId }: { readonly threadId: string }) {
  const { rights } = useSession();
  return (
    <div class="page">
      <div class="page-h">
        <h1>Files</h1>
      </div>
      <ExportBox threadId={threadId} />
      {rights.write && <ImportBox threadId={threadId} />}
      <FileTable threadId={threadId} />
    </div>
  );
}

function FileTable({ threadId }: { readonly threadId: string }) {
  const { value: files, error, retry } = useFiles(threadId);
  return (
    <section class="box clip">
      <div class="box-h">
        <h2>Files of this thread</h2>{' '}
        <span class="mut">exports, and daily backups of what changed</span>
      </div>
      {error && <Problem error={error} retry={retry} />}
      {files === undefined && !error && <Loading rows={3} />}
      {files?.length === 0 && <p class="empty">There are none yet.</p>}
      {files && files.length > 0 && (
        <table>
          <thead>
            <tr>
              <th>File</th>
              <th class="num">Size</th>
              <th class="hide-s">Written</th>
              <th>
                <span class="sr">Download</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {files.map(({ file, sizeBytes, writtenAt, download }) => (
              <tr key={file}>
                <td class="mono wrap-any">{file}</td>
                <td class="num nw">{formatBytes(sizeBytes)}</td>
                <td class="mut nw hide-s">
                  <Time at={writtenAt} />
                </td>
                <td class="num">
                  <DownloadButton path={download} name={file} label="Download" />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}
