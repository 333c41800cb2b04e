import { expect, test } from 'vitest';
import { sharedSubject } from '#graph/text/subject.ts';

test.each([
  [1, 'User lives in Seattle', 'user moved to Austin'],
  [1, 'The release was postponed', 'A release was cancelled'],
  [1, 'My home is in Lyon', "I'm fond of home cooking"],
  [1, "Jonas' party is in May", 'Jonas had his party'],
  [1, 'User pays 900 euros of rent', 'User’s rent went up'],
  [1, 'Dr. Weber is away', 'Dr. Weber is back'],
  [0.5, 'User lives in Seattle', "User's mother lives in Portland"],
  [0.5, 'Since May Anna lives in Kiel', 'Anna lives in Berlin'],
  [0, 'Anna lives in Berlin', 'Tom lives in Berlin'],
  [0, 'Dr. Weber is away', 'Dr. Klein is away'],
  [0, 'Project Falcon uses Redis', 'Project Heron uses Redis'],
  [0, '…', 'User lives in Seattle'],
  [0, '', ''],
  [0, 'the', 'a'],
])('%d of the subject is shared by %j and %j, either way round', (share, a, b) => {
  expect(sharedSubject(a, b)).toBe(share);
  expect(sharedSubject(b, a)).toBe(share);
});
