/** What is wrong with a command or with what it calls, in words for whoever typed it: no stack is shown. */
export class CommandError extends Error {}
