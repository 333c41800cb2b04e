/**
 * Sentences that people might have an agent remember, in English that a real encoder understands:
 * who does what, with which tool, since when, and what they like. Many differ in a name or a number
 * only, as facts that were corrected do. Each is made of a shape (several thousand of them: core,
 * opening and tail) and words.
 */
import { seedRandom, type Random } from './random.ts';

const OPENING_SHARE = 0.25;
const TAIL_SHARE = 0.35;

/** Distinct sentences, the same on every machine. */
export function writeSentences(count: number): string[] {
  return writeDistinct(count, 11, (random) => {
    const core = random.pick(CORES);
    if (random.next() < OPENING_SHARE) return fill(random, `${random.pick(OPENINGS)} ${core}`);
    if (random.next() < TAIL_SHARE) return fill(random, `${core} ${random.pick(TAILS)}`);
    return fill(random, core);
  });
}

/** Distinct questions about the same world. */
export function writeQuestions(count: number): string[] {
  return writeDistinct(count, 23, (random) => fill(random, random.pick(QUESTIONS)));
}

function writeDistinct(count: number, seed: number, write: (random: Random) => string): string[] {
  const random = seedRandom(seed);
  const written = new Set<string>();
  const triesMax = count * 50;
  for (let tries = 0; written.size < count; tries += 1) {
    if (tries === triesMax) throw new Error(`There are no ${count} different ones.`);
    written.add(write(random));
  }
  return [...written];
}

/** Puts a word for each `{kind}`. */
function fill(random: Random, shape: string): string {
  return capitalise(shape.replaceAll(/\{(\w+)\}/g, (_, kind: string) => writeWord(random, kind)));
}

function writeWord(random: Random, kind: string): string {
  if (kind === 'number') return String(random.pick([1, 10, 100]) * (1 + random.below(12)));
  if (kind === 'version') return `${1 + random.below(9)}.${random.below(20)}.${random.below(10)}`;
  if (kind === 'year') return String(2012 + random.below(15));
  if (kind === 'date') return `${1 + random.below(28)} ${random.pick(MONTHS)}`;
  const words = WORDS[kind];
  if (words === undefined) throw new Error(`There are no words of the kind ${kind}.`);
  return random.pick(words);
}

function capitalise(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function words(list: string): string[] {
  return list.split(',').map((word) => word.trim());
}

const MONTHS = words(
  'January, February, March, April, May, June, July, August, September, October, November, December',
);

const WORDS: Readonly<Record<string, readonly string[]>> = {
  person: words(
    'Ada, Andrii, Beatriz, Bilal, Carmen, Chen, Dmitri, Elena, Farah, Fatima, George, Greta, Hana, Hugo, Ines, Ivan, ' +
      'Jonas, Joy, Kenji, Lars, Leila, Lucia, Marcus, Mei, Mohamed, Nadia, Noah, Olga, Omar, Paula, Priya, Quentin, ' +
      'Rahul, Rosa, Samir, Sofia, Tariq, Tess, Uma, Viktor, Wanda, Xavier, Yara, Yusuf, Zoe, Tom, Anna, Peter, Maria, David',
  ),
  project: words(
    'Atlas, Beacon, Cascade, Drift, Ember, Falcon, Granite, Harbor, Indigo, Juniper, Kestrel, Lantern, Meridian, Nimbus, ' +
      'Orchard, Pelican, Quartz, Raven, Summit, Tundra, Umbra, Voyager, Willow, Zephyr, the billing rewrite, the mobile app, ' +
      'the data platform, the search service, the onboarding flow, the website relaunch',
  ),
  tool: words(
    'Postgres, MySQL, Redis, Kafka, Kubernetes, Terraform, Docker, GitHub Actions, Jenkins, React, Svelte, Vue, TypeScript, ' +
      'Python, Rust, Go, Kotlin, Swift, Figma, Notion, Slack, Jira, Linear, Grafana, Prometheus, Sentry, Elasticsearch, ' +
      'SQLite, DuckDB, Snowflake, Airflow, dbt, Pandas, PyTorch, Excel, Vim, Emacs, VS Code, Cloudflare Workers, AWS Lambda',
  ),
  team: words(
    'platform, payments, design, research, support, sales, marketing, security, data, mobile, infrastructure, legal, finance, growth',
  ),
  company: words(
    'Northwind, Acme, Globex, Initech, Umbrella, Hooli, Contoso, Stark Industries, Wayne Enterprises, Soylent, Vandelay, Cyberdyne',
  ),
  city: words(
    'Berlin, Kyiv, Lisbon, Toronto, Nairobi, Seoul, Tokyo, Austin, Zurich, Warsaw, Madrid, Oslo, Cairo, Lima, Melbourne, ' +
      'Chicago, Dublin, Prague, Mumbai, Singapore',
  ),
  food: words(
    'sushi, ramen, pasta, borscht, tacos, curry, falafel, pancakes, dark chocolate, green tea, black coffee, oat milk, ' +
      'mushrooms, olives, blue cheese, peanuts, shellfish, coriander, red wine, sourdough bread',
  ),
  hobby: words(
    'playing the violin, playing chess, bouldering, long-distance running, knitting, bird watching, baking bread, sailing, ' +
      'woodworking, gardening, learning Japanese, photography, cycling, repairing old radios, singing in a choir, swimming, ' +
      'board games, painting watercolours, astronomy, writing short stories',
  ),
  animal: words('cat, dog, rabbit, parrot, tortoise, hamster, horse'),
  relative: words(
    'sister, brother, mother, father, daughter, son, wife, husband, grandmother, cousin',
  ),
  role: words(
    'tech lead, product manager, designer, data scientist, backend engineer, accountant, nurse, teacher, lawyer, intern, ' +
      'head of support, chief technology officer, freelance writer, project coordinator, security officer',
  ),
  day: words('Monday, Tuesday, Wednesday, Thursday, Friday, Saturday, Sunday'),
  time: words('early in the morning, at noon, in the afternoon, late at night, after lunch'),
  document: words(
    'contract, roadmap, budget, quarterly report, design document, invoice, slide deck, post-mortem, style guide, privacy policy, ' +
      'test plan, user manual, job description, press release',
  ),
  part: words(
    'login page, checkout, search box, admin panel, export job, payment webhook, nightly backup, e-mail digest, image pipeline, ' +
      'rate limiter, audit log, onboarding wizard, dashboard, mobile client, public API',
  ),
  fault: words(
    'a memory leak, a race condition, a missing index, a wrong time zone, an expired certificate, a full disk, ' +
      'a typo in the configuration, a failed migration, duplicate invoices, slow queries',
  ),
  quality: words(
    'slow, fast, flaky, reliable, expensive, cheap, confusing, simple, outdated, modern',
  ),
  event: words(
    'the conference, the offsite, the product launch, the board meeting, the code freeze, the hackathon, the audit, the interview, ' +
      'the training, the wedding, the concert, the marathon',
  ),
  place: words('the office, the kitchen, the library, the park, the airport, the studio, the lab'),
  thing: words(
    'laptop, bicycle, camera, standing desk, headphones, car, phone, keyboard, coffee machine, tent, guitar, backpack',
  ),
  illness: words('asthma, migraine, hay fever, diabetes, a peanut allergy, lactose intolerance'),
  language: words(
    'English, German, Ukrainian, Spanish, Portuguese, Arabic, Japanese, Hindi, French',
  ),
};

const OPENINGS = [
  'Since {year}',
  'As of {date}',
  'According to {person},',
  'In the {team} team',
  'For {project},',
  'On {day}s',
  'After {event},',
  'In {city},',
  'It was decided on {date} that',
  '{person} mentioned that',
  'Because of {fault},',
  'During {event}',
];

const TAILS = [
  'since {year}',
  'until {date}',
  'because of {fault}',
  'in {city}',
  'with {person}',
  'for {project}',
  'every {day}',
  'after {event}',
  '{time}',
  'but {person} disagrees',
  'as the {document} says',
  'for {number} days',
];

const CORES = [
  // People and their work.
  '{person} is the {role} of {project}',
  '{person} works as a {role} at {company}',
  '{person} joined the {team} team in {year}',
  '{person} left {company} in {year}',
  '{person} reports to {person}',
  '{person} manages {number} people in the {team} team',
  '{person} was promoted to {role} on {date}',
  '{person} works from home on {day}s',
  '{person} is on parental leave until {date}',
  '{person} is responsible for the {part}',
  '{person} reviews every change to the {part}',
  '{person} took over {project} from {person}',
  '{person} studied in {city} until {year}',
  '{person} speaks {language} and {language}',
  '{person} is learning {tool}',
  '{person} is on call {time}',
  '{person} has {number} vacation days left',
  '{person} prefers {tool} to {tool}',
  '{person} wrote the {document} for {project}',
  '{person} wants to move to the {team} team',
  // Preferences and private life.
  '{person} likes {food} and {food}',
  '{person} does not eat {food}',
  '{person} is allergic to {food}',
  '{person} has {illness}',
  '{person} enjoys {hobby}',
  '{person} gave up {hobby} in {year}',
  '{person} started {hobby} {number} weeks ago',
  "{person}'s {relative} lives in {city}",
  "{person}'s {relative} is a {role}",
  "{person}'s birthday is on {date}",
  "{person}'s {animal} is called {person}",
  '{person} has a {animal} and a {animal}',
  '{person} moved from {city} to {city}',
  '{person} was born in {city}',
  '{person} bought a {thing} for {number} euros',
  '{person} lost the {thing} at {place}',
  '{person} borrowed a {thing} from {person}',
  '{person} drinks {number} cups of coffee a day',
  '{person} prefers to meet {time}',
  '{person} would rather have a call than an e-mail',
  '{person} wakes up at {number} past six',
  '{person} met {person} at {event}',
  '{person} is married to {person}',
  '{person} and {person} go {hobby} together',
  '{person} is saving money for a {thing}',
  // Projects and decisions.
  '{project} uses {tool} {version}',
  '{project} was migrated from {tool} to {tool}',
  '{project} depends on {project}',
  '{project} started in {year}',
  '{project} will be finished on {date}',
  '{project} is {number} days behind schedule',
  '{project} has a budget of {number} thousand euros',
  '{project} has {number} open issues',
  '{project} is maintained by the {team} team',
  '{project} was cancelled on {date}',
  '{project} is sponsored by {company}',
  '{project} replaces {project}',
  '{project} deploys every {day}',
  '{project} is written in {tool}',
  '{project} stores its data in {tool}',
  '{project} serves {number} thousand requests a second',
  '{project} costs {number} dollars a month',
  'the customer of {project} is {company}',
  'the {team} team decided against {tool}',
  'the {team} team chose {tool} over {tool}',
  'the {team} team meets every {day} {time}',
  'the {team} team has {number} members',
  'the {team} team moved to {city}',
  'the deadline of {project} was moved to {date}',
  'the kick-off of {project} takes place in {city}',
  'the retrospective of {project} showed {fault}',
  // Software and operations.
  'the {part} is {quality}',
  'the {part} failed with {fault}',
  'the {part} was fixed by {person}',
  'the {part} runs on {tool}',
  'the {part} was rewritten in {tool}',
  'the {part} times out after {number} seconds',
  'the {part} accepts at most {number} megabytes',
  'the {part} is disabled in {city}',
  'the {part} is covered by {number} tests',
  'the {part} keeps its logs for {number} days',
  'the {part} belongs to the {team} team',
  'the {part} was released in version {version}',
  '{fault} in the {part} was found by {person}',
  '{fault} took the {part} down for {number} minutes',
  '{tool} was upgraded to version {version}',
  '{tool} {version} breaks the {part}',
  '{tool} is too {quality} for {project}',
  '{tool} licences cost {number} dollars a year',
  'nobody in the {team} team knows {tool}',
  'access to {tool} is granted by {person}',
  'the password of {tool} is rotated every {number} days',
  'the alert for {fault} goes to {person}',
  'backups of {tool} are kept in {city}',
  'the staging copy of the {part} is {number} days old',
  'version {version} of {project} added the {part}',
  'version {version} of {project} removed support for {tool}',
  // Documents, companies and events.
  'the {document} of {project} has {number} pages',
  'the {document} was sent to {company} on {date}',
  'the {document} must be signed by {person}',
  'the {document} is kept in {tool}',
  'the {document} was last changed by {person}',
  'the {document} is written in {language}',
  '{company} is a customer of {company}',
  '{company} has its headquarters in {city}',
  '{company} was founded in {year}',
  '{company} has {number} thousand employees',
  '{company} bought {company} in {year}',
  '{company} pays within {number} days',
  '{company} complained about the {part}',
  'the contact at {company} is {person}',
  '{event} takes place in {city} on {date}',
  '{event} was moved from {day} to {day}',
  '{event} is organised by {person}',
  '{event} costs {number} euros a person',
  '{person} spoke about {tool} at {event}',
  '{person} cannot come to {event}',
  '{person} booked a hotel in {city} for {event}',
  '{person} flies to {city} on {date}',
  '{number} people registered for {event}',
  'the budget for {event} is {number} thousand euros',
  'the key to {place} is with {person}',
  'the {thing} in {place} is broken',
  'the {thing} was repaired for {number} euros',
  'there is {food} in {place} on {day}s',
];

const QUESTIONS = [
  'Who is the {role} of {project}?',
  'Where does {person} work?',
  'Who does {person} report to?',
  'What does {person} like to eat?',
  'Is {person} allergic to anything?',
  'What does {person} do in the spare time?',
  'Where does the {relative} of {person} live?',
  'When is the birthday of {person}?',
  'What pets does {person} have?',
  'Which languages does {person} speak?',
  'Who is responsible for the {part}?',
  'Why did the {part} fail?',
  'How long does the {part} keep logs?',
  'Which database does {project} use?',
  'Which version of {tool} do we run?',
  'What did we replace {tool} with?',
  'How much does {tool} cost?',
  'When will {project} be finished?',
  'How large is the budget of {project}?',
  'What does {project} depend on?',
  'Who maintains {project}?',
  'When does the {team} team meet?',
  'How many people are in the {team} team?',
  'Where is {company} based?',
  'Who is our contact at {company}?',
  'What did {company} complain about?',
  'When does {event} take place?',
  'Who cannot come to {event}?',
  'Who wrote the {document}?',
  'Where is the {document} kept?',
  'Who has to sign the {document}?',
  'Who found {fault} in the {part}?',
  'Who borrowed the {thing}?',
  'Who has the key to {place}?',
  'What is planned for {date}?',
  'Who moved to {city}?',
  'Who is good at {hobby}?',
  'Does anyone know {tool}?',
  'Dietary restrictions of {person}',
  'maximum upload size of the {part}',
  '{person} {project}',
  '{tool} {part} outage',
];
