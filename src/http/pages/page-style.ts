/** The one style of all pages. Colours and their contrast are those of the explorer, by the system's theme. */
export const STYLE = `
  :root {
    color-scheme: light dark;
    --bg: #ffffff; --sunk: #f5f6f8; --ink: #15181c; --ink-2: #464d57; --line: #cdd2d9; --control: #868e99;
    --accent: #2456c9; --on-accent: #ffffff; --warn: #8a5200; --warn-soft: #fdf1d8;
    --mono: ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace;
  }
  @media (prefers-color-scheme: dark) {
    :root {
      --bg: #14171b; --sunk: #191d22; --ink: #e8eaed; --ink-2: #b6bcc5; --line: #3a414b; --control: #6b747f;
      --accent: #8ab0ff; --on-accent: #0b1530; --warn: #f5b83d; --warn-soft: #33270f;
    }
  }
  * { box-sizing: border-box; }
  body { margin: 0; font: 1rem/1.5 system-ui, sans-serif; color: var(--ink); background: var(--bg); }
  main { max-width: 40rem; margin: 0 auto; padding: 1.5rem 1rem 3rem; }
  h1 { font-size: 1.5rem; line-height: 1.25; overflow-wrap: anywhere; }
  h2 { font-size: 1.125rem; margin: 2rem 0 0.5rem; }
  h3 { font-size: 1rem; margin: 1.75rem 0 0; }
  p, li, dd, label { overflow-wrap: anywhere; }
  a { color: var(--accent); }
  :focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
  code, pre { font: 0.8125rem/1.5 var(--mono); }
  pre {
    margin: 0.5rem 0; padding: 0.75rem; border: 1px solid var(--line); border-radius: 0.3125rem;
    background: var(--sunk); white-space: pre-wrap; overflow-wrap: anywhere; user-select: all;
  }
  details { border-top: 1px solid var(--line); }
  details:last-of-type { border-bottom: 1px solid var(--line); }
  details p { margin: 0; color: var(--ink-2); font-size: 0.9375rem; }
  details pre { margin-bottom: 1rem; }
  summary { min-height: 2.75rem; padding: 0.625rem 0; font-weight: 500; cursor: pointer; }
  label { display: block; margin: 0.75rem 0; }
  fieldset { margin: 1rem 0; padding: 0.25rem 1rem; border: 1px solid var(--line); border-radius: 0.3125rem; }
  input[type='text'], input[type='password'], input[type='number'], select {
    display: block; width: 100%; min-height: 2.75rem; padding: 0.5rem; font: inherit;
    color: inherit; background: var(--bg); border: 1px solid var(--control); border-radius: 0.3125rem;
  }
  input[type='radio'] { width: 1.125rem; height: 1.125rem; flex: none; margin: 0.25rem 0 0; }
  label.choice { display: flex; gap: 0.625rem; margin: 0; padding: 0.375rem 0; min-height: 2.75rem; }
  small, .note { color: var(--ink-2); font-size: 0.9375rem; }
  button {
    min-height: 2.75rem; padding: 0.5rem 1.25rem; margin: 0.25rem 0.5rem 0.25rem 0; font: inherit;
    border: 1px solid var(--accent); border-radius: 0.3125rem; background: var(--accent);
    color: var(--on-accent); cursor: pointer;
  }
  button.quiet { background: transparent; color: inherit; border-color: var(--control); }
  ul.cards { list-style: none; padding: 0; }
  ul.cards li { padding: 0.75rem 1rem; margin: 0.75rem 0; border: 1px solid var(--line); border-radius: 0.3125rem; }
  .warning { padding: 0.75rem 1rem; border-left: 0.25rem solid var(--warn); background: var(--warn-soft); }
`;
