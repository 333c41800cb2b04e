/** `node scripts/bundle-size.ts dist`: fails when the Worker that was built there is too large. */
import { readCommandLine } from './support/command-line.ts';
import { BUNDLE_KIB_MAX, bundleKibibytes } from './support/bundle.ts';

const { positionals } = readCommandLine(
  {
    name: 'node scripts/bundle-size.ts',
    usage:
      'node scripts/bundle-size.ts [directory]\n\nFails when the Worker that was built in the directory, or else in dist, is too large.',
  },
  { allowPositionals: true },
);
const [directory = 'dist'] = positionals;
const kibibytes = bundleKibibytes(directory);
console.log(`The Worker has ${kibibytes.toFixed(0)} KiB gzipped, of ${BUNDLE_KIB_MAX} at most.`);
if (kibibytes > BUNDLE_KIB_MAX) {
  console.error(
    'Find what has grown: wrangler deploy --dry-run --env production --outdir dist --metafile, then look at dist/bundle-meta.json.',
  );
  process.exitCode = 1;
}
