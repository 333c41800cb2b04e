/** Tells questions about everything ("What do you know about me?") from questions about something. */
import { foldName } from '#graph/names.ts';

/**
 * Words of such questions, folded: who asks and is asked, to know and to tell, and everything. Each
 * language has its own line.
 */
const GENERAL_WORDS = new Set(
  `a all about all am and any anything are as background been briefing can catch context could did do does
  everything far for from general get give got had has have here history i in info information is it its
  know knowledge known learn learned list me memories memory mine my myself of on our ours overall overview
  please project recap recall remember remembered remind said saved say show so stored stuff sum summarise
  summarize summary tell that the there thing things this to told understand up us user was we were what
  whats who whole with you your
  alles bisher bitte das dieses dir du er fasse gemerkt gespeichert hast ich ihr mich mir projekt sag sie
  uber uberblick uns user vom von was weisst weißt wer wir wissen zu zum zusammen zusammenfassung
  a au ce cet connais de du en est je la le les memoire moi mon nous ou projet que quest quoi rappelle rappelles
  resume sais sait sur te tout toute toi tu vous
  acerca cosas cuenta cuentame de del dime el en este esto lo los memoria mi mis nosotros proyecto que quien
  recuerda recuerdas resumen sabe sabes sobre soy te todo todos tu y yo
  che chi cosa di il io memoria me mi noi progetto questo ricordi riassunto sai so su sul tutto
  alles dit ik jij je mij ons onthouden over project samenvatting vertel wat weet
  de eu isso lembra memoria mim meu nos o projeto que quem resumo sabe sabes sobre tudo voce`.split(
    /\s+/u,
  ),
);

/** Of these words those that ask by themselves: "project" alone looks for the word. */
const ASKING_ALONE = new Set(
  `all background briefing everything overview recap summary alles uberblick zusammenfassung tout resume todo
  resumen tutto riassunto samenvatting tudo resumo`.split(/\s+/u),
);

/** Whole questions in scripts without spaces. */
const UNSPACED_QUESTIONS = [
  /^(?:私|僕|俺|わたし|このプロジェクト)について(?:何を)?(?:知って|覚えて|教えて)/u,
  /^(?:你|您)(?:都)?(?:知道|记得|了解)(?:关于)?(?:我|我们|这个项目)/u,
];

/** More words than these ask for something in particular. */
const WORDS_MAX = 14;

const WORD = /[\p{L}\p{N}\p{M}]+/gu;

/** True for a text that asks for all there is, and names nothing of it. */
export function asksForEverything(text: string): boolean {
  if (UNSPACED_QUESTIONS.some((question) => question.test(text.trim()))) return true;
  const words = foldName(text.replaceAll(/['’]/gu, '')).match(WORD) ?? [];
  const [first, ...more] = words;
  if (first === undefined || words.length > WORDS_MAX) return false;
  return more.length === 0
    ? ASKING_ALONE.has(first)
    : words.every((word) => GENERAL_WORDS.has(word));
}
