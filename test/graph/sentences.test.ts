// Says how an observation's sentences are counted, one table of examples for each rule.
// The ambiguous readings are pinned on purpose: a change of mind has to show up here.

import fc from 'fast-check';
import { expect, test } from 'vitest';

import { findQuotations } from '#graph/rules/quotations.ts';
import { countSentences, splitSentences } from '#graph/rules/sentences.ts';

type Case = [text: string, count: number];

const observationsOfTheSeed: Case[] = [
  [
    'Contains 2 main tables: planning (Section I) and activities (Section II) with 21 records and appendices with certificates',
    1,
  ],
  ['Final file: shevchenko-viktoria-yevgenivna-v4.docx', 1],
  ['Uses python-docx 1.2.0', 1],
  ['update_portfolio.py is main script', 1],
  ['Author of MCP Memory Server', 1],
  ['Uses lxml 6.0.2', 1],
];

const plainSentences: Case[] = [
  ['Likes tea', 1],
  ['Likes tea.', 1],
  ['Likes tea. Has a cat.', 2],
  ['Likes tea. Has a cat', 2],
  ['Is it ready? It is! Good.', 3],
  ['Runs on Linux.\tBuilt in Rust.\u00A0Ships weekly.', 3],
  ['uses node. likes tea. has cat.', 3],
  ['is it ready? yes! ship it', 3],
  ['Ends at 42. 7 remain.', 2],
];

const wordlessTexts: Case[] = [
  ['', 0],
  [' \n\t ', 0],
  ['...', 0],
  ['?! . "…" ( ) —', 0],
  ['。！？', 0],
  ['\u200B\uFEFF', 0],
  ['🎉 👍🏽 👩‍👩‍👧 🇺🇦 ❤️ 1️⃣ ℹ️', 0],
];

const emojiCases: Case[] = [
  ['Done! 🎉', 1],
  ['Done 🎉', 1],
  ['Done! 🎉🎉 ❤️ Then left.', 2],
  ['Done!🎉 then left', 2],
  ['Likes tea 🍵. has a cat', 2],
  ['Finished first! 1️⃣', 1],
];

const repeatedAndEnclosedTerminators: Case[] = [
  ['Really?! Yes.', 2],
  ['No way!!! It works.', 2],
  ['Stop‼ Then wait.', 2],
  ['(Done.) Then left.', 2],
  ['He said "stop!" Then left.', 2],
  ['He said “stop.” Then he left.', 2],
  ['**Done.** Then left.', 2],
  ['Uses `npm ci`. Then builds.', 2],
  ['« Bonjour ! » Puis il part.', 2],
  ['Est-ce prêt ? Oui !', 2],
];

const continuationsAfterClosingMarks: Case[] = [
  ['He said "Hi." and left', 1],
  ['Asked “why?” and got no answer.', 1],
  ['Wrote it (in Rust.) and left', 1],
  ['« Bonjour ! » dit-il', 1],
  ['«Стій!» — сказав він', 1],
  ['Ignores logs.* files', 1],
];

const separatedQuotes: Case[] = [
  ['"uses node." "likes tea."', 2],
  ['(uses node.) (likes tea.)', 2],
  ['Uses node (and tea). likes cats.', 2],
  ['uses node. * likes tea.', 2],
];

const innerDots: Case[] = [
  ['Pi is about 3.14 here', 1],
  ['Moved from v4.1 to v5.0.0-beta.2 today', 1],
  ['Runs v4. Then upgraded.', 2],
  ['See https://example.com/a.b?c=d.e!f#g for details', 1],
  ['See https://example.com/docs. Then read it.', 2],
  ['Reads ./src/graph/rules/sentences.ts and ../package.json', 1],
  ['Ignores .env and .gitignore', 1],
  ['Lists ./ and stops', 1],
  ['Write to jane.doe@mail.example.com first', 1],
  ['Prefers Node.js over ASP.NET', 1],
  ['Prefers Node.js. Avoids .NET.', 2],
  ['The host is 192.168.0.1 now', 1],
  ['The price is ３．１４ now', 1],
];

const ellipses: Case[] = [
  ['Waits ... then retries', 1],
  ['Waits… then retries', 1],
  ['Waits . . . then retries', 1],
  ['Waits ...then retries', 1],
  ['Waits... 5 seconds later retries', 1],
  ['Waits... Then retries.', 2],
  ['Waits… Then retries…', 2],
  ['Готово?.. так', 2],
];

const names: Case[] = [
  ['Reads J. R. R. Tolkien', 1],
  ['Knows J.-P. Sartre and George W. Bush', 1],
  ['Reads J. A. Smith and (J. I. Smith)', 1],
  ['Works for the U.S. Army', 1],
  ['Works in the U.S. and Canada', 1],
  ['Avoids non-U.S. suppliers', 1],
  ['Has a Ph.D. in physics', 1],
  ['Has a Ph.D. Student card', 1],
  ['Met Dr. Smith, Prof. Jones and Mrs. Brown', 1],
  ['met dr. smith and mr. jones', 1],
  ['Visited St. Petersburg', 1],
  ['Is Martin Luther King Jr. Day a holiday', 1],
  ['Знає проф. Шевченка', 1],
];

const namesAtTheEnd: Case[] = [
  ['Works in the U.S. He likes it.', 2],
  ['Has a Ph.D. She teaches.', 2],
  ['Is Sammy Davis Jr. He sings.', 2],
  ['Writes C. Likes tea.', 2],
  ['uses c. likes tea. has cat.', 3],
  ['Finished plan B. I left.', 2],
  ['Lives in CA. Works at IBM.', 2],
  ['Latency is 20 ms. Uses node.', 2],
];

const abbreviationsInside: Case[] = [
  ['Uses a linter, e.g. Oxlint, i.e. a fast one', 1],
  ['E.g. Oxlint is fast', 1],
  ['Compares npm vs. Yarn', 1],
  ['Takes approx. 5 minutes', 1],
  ['See No. 5, Fig. 3 and p. 12', 1],
  ['Dates from c. 1990 or so', 1],
  ['Smith et al. (2020) agree', 1],
  ['Likes tea etc. and coffee', 1],
  ['Starts at 9 a.m. and ends at 5p.m. daily', 1],
  ['Works at Acme Inc. in Kyiv', 1],
  ['Works at Acme Co. Ltd. in Kyiv', 1],
  ['Free from Jan. 5 to Mar. 7 on Sat. and Sun.', 1],
  ['Das ist z. B. hier so', 1],
  ['Любить чай, каву, т. д. і каву', 1],
];

const abbreviationsAtTheEnd: Case[] = [
  ['Likes tea, coffee, etc.', 1],
  ['Works at Acme Inc.', 1],
  ['Uses npm. Likes tea etc.', 2],
  ['Leaves at 5 p.m.', 1],
  ['Lives in the U.S.', 1],
  ['Wakes at 7 a.m. (approx.)', 1],
];

const abbreviationsThatCloseASentence: Case[] = [
  ['Likes tea etc. Has a cat.', 2],
  ['Works at Acme Inc. Lives in Kyiv.', 2],
  ['Leaves at 5 p.m. Then sleeps.', 2],
  ['Started in Jan. Left in Feb.', 2],
  ['Likes tea (and coffee etc.). "Hates" milk.', 2],
  ['Is it long (approx.). It is.', 2],
];

const wordsThatOnlyLookAbbreviated: Case[] = [
  ['Is it ready? No. It failed.', 3],
  ['likes the sun. has cat.', 2],
  ['studies art. likes tea.', 2],
  ['came 1st. likes tea.', 2],
];

const listMarkers: Case[] = [
  ['1. First', 1],
  ['1. First. 2. Second.', 2],
  ['1. First\n2. Second', 2],
  ['1) First\n2) Second', 2],
  ['a. First', 1],
  ['A. The first', 1],
  ['**1.** First', 1],
  ['「第一。」1. 第二', 2],
  ['2.1. Scope', 1],
  ['1. 2. 3.', 1],
  ['The answer is 42.', 1],
];

const lineBreaks: Case[] = [
  ['Likes tea\nand coffee', 1],
  ['Likes tea\r\nand coffee', 1],
  ['Likes tea.\nHas a cat.', 2],
  ['Likes tea\n\nHas a cat', 2],
  ['Likes tea\r\n \r\nHas a cat', 2],
  ['- likes tea\n- has a cat\n  called Tom\n- uses node', 3],
  ['Likes:\n• tea\n•coffee', 3],
  ['\n- \n* \n', 0],
  ['Is at\n-5 degrees', 1],
  ['**Likes** tea\n**and** coffee', 1],
  ['Written by J.\nR. R. Tolkien', 1],
];

const fullWidthTerminators: Case[] = [
  ['我喜欢茶。我有一只猫。', 2],
  ['真的吗？！是的｡好', 3],
  ['「はい。」『いいえ！』と', 3],
  ['他说「你好。」', 1],
  ['他说「你好。」and left', 2],
  ['使用 Node.js 编写。', 1],
  ['等等……然后重试', 1],
  ['茶を飲む． Then left', 2],
];

const otherScripts: Case[] = [
  ['هل هو جاهز؟ نعم.', 2],
  ['هل هو جاهز؟\u200F نعم.', 2],
  ['मुझे चाय पसंद है। मेरे पास बिल्ली है।', 2],
  ['Սիրում է թեյ։ Ունի կատու։', 2],
  ['ሻይ ይወዳል። ድመት አለው።', 2],
  ['Любить чай. має кота.', 2],
];

const hostileTexts: Case[] = [
  ['.'.repeat(10_000), 0],
  ['. '.repeat(5_000), 0],
  ['a. '.repeat(3_333), 1],
  ['x'.repeat(10_000), 1],
  ['U.'.repeat(5_000), 1],
  ['etc. '.repeat(2_000), 1],
  ['1. '.repeat(3_333), 1],
  [`${'('.repeat(5_000)}a${'.)'.repeat(2_500)}`, 1],
  ['好。'.repeat(5_000), 5_000],
  ['ok. '.repeat(2_500), 2_500],
  ['ok.\u200B '.repeat(2_000), 2_000],
  ['\n- a'.repeat(2_500), 2_500],
  ['\uD83C. \uDF89! '.repeat(1_500), 0],
];

test.each<[string, string[]]>([
  ['She said "Stop. Go away!" Then left.', ['She said "Stop. Go away!"', 'Then left.']],
  ['She said “Stop. Go.” Then left.', ['She said “Stop. Go.”', 'Then left.']],
  ['Er rief „Halt! Weg da!“ Dann ging er.', ['Er rief „Halt! Weg da!“', 'Dann ging er.']],
  ['Er rief »Halt! Weg da!« Dann ging er.', ['Er rief »Halt! Weg da!«', 'Dann ging er.']],
  ['« Oui. Non. » Puis il part.', ['« Oui. Non.»', 'Puis il part.']],
  ['«Так. Ні.» Потім пішов.', ['«Так. Ні.»', 'Потім пішов.']],
  ["Wrote 'It works. Ship it.' twice. Left.", ["Wrote 'It works. Ship it.' twice.", 'Left.']],
  ['Wrote ‘It works. Ship it.’ Left.', ['Wrote ‘It works. Ship it.’', 'Left.']],
  ['Runs `a. b. c` first. Then stops.', ['Runs `a. b. c` first.', 'Then stops.']],
  ['他说「你好。我走了。」然后离开。', ['他说「你好。我走了。」', '然后离开。']],
  ['読んだ『一。二。』そして寝た。', ['読んだ『一。二。』', 'そして寝た。']],
  ['Said "One.\n\nTwo." Left.', ['Said "One.', 'Two."', 'Left.']],
  ['Said "tea\n- milk. Rum." Left.', ['Said "tea - milk. Rum."', 'Left.']],
])('a quotation is not cut: %j', (text, expected) => {
  expect(splitSentences(text)).toEqual(expected);
});

test.each<[string, string[]]>([
  ["It's Bob's. It isn't Ann's.", ["It's Bob's.", "It isn't Ann's."]],
  ['The 5" disk. A 6" cover.', ['The 5" disk.', 'A 6" cover.']],
  ['He said "hello. Then left.', ['He said "hello.', 'Then left.']],
  ['R & D = fun. Uses a -> b.', ['R & D = fun.', 'Uses a -> b.']],
])('what only looks like a quotation ends sentences as ever: %j', (text, expected) => {
  expect(splitSentences(text)).toEqual(expected);
});

test('quotations begin and end where they do in any text', () => {
  const marks = fc.constantFrom(
    '"',
    '“',
    '”',
    '„',
    '«',
    '»',
    '「',
    '」',
    "'",
    'a',
    '. ',
    ' ',
    '\n',
  );
  fc.assert(
    fc.property(fc.array(marks), (parts) => {
      const text = parts.join('');
      let done = 0;
      for (const { start, end } of findQuotations(text)) {
        expect(start).toBeGreaterThan(done);
        expect(end).toBeGreaterThanOrEqual(start);
        done = end;
      }
      expect(done).toBeLessThanOrEqual(text.length);
    }),
  );
});

test.each(observationsOfTheSeed)('an observation of the seed is one sentence: %j', expectCount);
test.each(plainSentences)('a terminator before white space ends a sentence: %j', expectCount);
test.each(wordlessTexts)('a text without letters or digits has no sentence: %j', expectCount);
test.each(emojiCases)('an emoji neither adds nor hides a sentence: %j', expectCount);
test.each(repeatedAndEnclosedTerminators)(
  'repeated terminators and closing marks end one sentence: %j',
  expectCount,
);
test.each(continuationsAfterClosingMarks)(
  'lower case after a closing mark goes on with the sentence: %j',
  expectCount,
);
test.each(separatedQuotes)('a new opening mark or an outer dot starts afresh: %j', expectCount);
test.each(innerDots)('a dot inside a token ends nothing: %j', expectCount);
test.each(ellipses)('an ellipsis ends a sentence only before upper case: %j', expectCount);
test.each(names)('the dots of a name, title or degree end nothing: %j', expectCount);
test.each(namesAtTheEnd)('a dot after a letter or unit can still end a sentence: %j', expectCount);
test.each(abbreviationsInside)('an abbreviation goes on with the sentence: %j', expectCount);
test.each(abbreviationsAtTheEnd)('an abbreviation at the end changes no count: %j', expectCount);
test.each(abbreviationsThatCloseASentence)(
  'upper case after a closing abbreviation starts a sentence: %j',
  expectCount,
);
test.each(wordsThatOnlyLookAbbreviated)(
  'an ordinary word spelled like an abbreviation ends a sentence: %j',
  expectCount,
);
test.each(listMarkers)('a list marker is no sentence of its own: %j', expectCount);
test.each(lineBreaks)('only a blank line or a bullet separates lines: %j', expectCount);
test.each(fullWidthTerminators)('a full-width terminator needs no space: %j', expectCount);
test.each(otherScripts)('other scripts end sentences with their own marks: %j', expectCount);
test.each(hostileTexts)('a long hostile text is counted like any other, case %#', expectCount);

test('any text has a count that is a whole number and not negative', () => {
  fc.assert(
    fc.property(anyText(), (text) => {
      const count = countSentences(text);
      expect(Number.isInteger(count) && count >= 0).toBe(true);
    }),
  );
});

test('a text with a word has at least one sentence', () => {
  fc.assert(
    fc.property(anyText(), anyText(), (before, after) => {
      expect(countSentences(`${before} word ${after}`)).toBeGreaterThanOrEqual(1);
    }),
  );
});

test('a plain word put before a plain word changes no count', () => {
  fc.assert(
    fc.property(anyText(), (text) => {
      expect(countSentences(`plain word ${text}`)).toBe(countSentences(`word ${text}`));
    }),
  );
});

test('a blank line adds up the counts of both sides', () => {
  fc.assert(
    fc.property(anyText(), anyText(), (above, below) => {
      const sum = countSentences(above) + countSentences(below);
      expect(countSentences(`${above}\n\n${below}`)).toBe(sum);
    }),
  );
});

test('the count never exceeds that of a split at every terminator and line break', () => {
  fc.assert(
    fc.property(anyText(), (text) => {
      const pieces = text.split(/[.．…!?‼⁇⁈⁉‽؟۔।॥։።፧。！？｡\r\n\u2028\u2029]/u);
      const withWords = pieces.filter((piece) => /[\p{L}\p{N}]/u.test(piece));
      expect(countSentences(text)).toBeLessThanOrEqual(withWords.length);
    }),
  );
});

test('plain lower-case sentences are all counted, whatever mark ends them', () => {
  const sentence = fc.tuple(fc.constantFrom('uses node', 'likes tea'), fc.constantFrom(...'.!?'));
  fc.assert(
    fc.property(fc.array(sentence), (sentences) => {
      const text = sentences.map((parts) => parts.join('')).join(' ');
      expect(countSentences(text)).toBe(sentences.length);
    }),
  );
});

function expectCount(text: string, count: number): void {
  expect(countSentences(text)).toBe(count);
}

/** Arbitrary characters seldom meet a rule, so half of the texts are made of the marks it knows. */
function anyText(): fc.Arbitrary<string> {
  const characters = [...' \n\r.,!?…。」"\')([*-—1aAJ好🎉\uFE0F\u20E3\u200B'];
  const parts = fc.constantFrom(
    ...characters,
    'word',
    'etc.',
    'Dr.',
    'U.S.',
    'e.g. ',
    '. ',
    '\n\n',
  );
  return fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(parts).map((all) => all.join('')),
  );
}
