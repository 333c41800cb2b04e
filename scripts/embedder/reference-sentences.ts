/** What the reference vectors are made of: each sentence once as a question and once as a passage. */
export const REFERENCE_SENTENCES: readonly string[] = [
  // What is stored and asked.
  'User prefers dark theme in every editor',
  'Which colours does the user like to work with?',
  'Ada Lovelace wrote the first published algorithm for the Analytical Engine.',
  'who invented programming',
  'The billing worker crashes when an invoice has no line items.',
  'Is there a known bug with empty invoices?',
  'Production moved from MySQL to PostgreSQL 15 in March 2026.',
  'what database do we use in prod',
  'Tom is allergic to peanuts, and his daughter Mia to penicillin.',
  'What must Tom not eat?',
  'Deploys happen on Tuesdays and Thursdays only.',
  'when can I release',
  'Maria moved from Lisbon to Oslo after she lost her job.',
  'Why did Maria leave Portugal?',
  // Identifiers, numbers, marks.
  'update_portfolio.py calls OAuth2Provider.refreshToken() with a timeout of 30_000 ms.',
  'See https://example.com/docs?page=2#limits or write to ops@example.com.',
  'v2.14.0-rc.1 costs $1,299.99 (−12.5 %), due 2026-03-31T09:15:00Z',
  'C++ && C# -> "F#"; ~50% of {a, b} | c',
  'THE BUILD IS BROKEN AGAIN!!!',
  // What the vocabulary has no pieces for.
  '東京は日本の首都です。',
  'Київ — столиця України',
  'Café Zoë serves crème brûlée to José and Müller.',
  'I ❤️ 🍕 and 👩‍👩‍👧‍👦 in the 🏡',
  'שלום and مرحبا in one sentence',
  // Forms that become one, and space of all kinds.
  'Ｆｕｌｌ ｗｉｄｔｈ ﬁne Ⅷ ½',
  '  spaces \t tabs\n\n lines\u00a0and\u3000more  ',
  'soft\u00adhyphen, zero\u200bwidth, \u202eturned\u202c, \u0000NUL',
  'e\u0301 and \u00e9',
  // Lengths.
  '',
  'a',
  'antidisestablishmentarianismantidisestablishmentarianism',
  `${'The quick brown fox jumps over the lazy dog near the old stone bridge. '.repeat(12)}End.`,
];
