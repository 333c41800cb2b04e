/** Stored text as a page may show it: nothing in it is invisible, and nothing turns its neighbours around. */

/** Signs that steer the direction of text; `unicode-bidi: isolate` keeps them in, this shows them. */
const STEERING = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/g;

/** Control characters as their signs (␀, ␉ …), line breaks kept; signs of direction as ⟂. */
export function visibleText(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[^\P{Cc}\n\t\r]/gu, (sign) => {
      const code = sign.codePointAt(0) ?? 0;
      return String.fromCodePoint(code < 0x20 ? 0x2400 + code : 0x2421);
    })
    .replaceAll(STEERING, '\u27C2');
}

/** At most that many characters, the last of them … where something was cut. */
export function shortText(text: string, max: number): string {
  const signs = [...text];
  return signs.length <= max
    ? text
    : `${signs
        .slice(0, max - 1)
        .join('')
        .trimEnd()}…`;
}
