import type { ListedRevision } from '#http/wire.ts';
import { describeRevision } from '../text/revision-line.ts';
import { Stored } from '../kit/text.tsx';

/** What a revision did, in words; the server's short lines are in the title. */
export function RevisionLine({ revision }: { readonly revision: ListedRevision }) {
  const { text, subject } = describeRevision(revision);
  return (
    <span title={revision.what.join('\n')}>
      {text} {subject !== '' && <Stored text={subject} class="med" />}
    </span>
  );
}
