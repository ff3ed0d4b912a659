// Words in the reader's language: those of the page, and those of the game, in which phrases of the server are told.

const page = await (await fetch("/page/texts.json")).json();
let game = { en: {} };
let language = "en";

export const languages = Object.keys(page);

export function speak(wanted) {
  language = languages.includes(wanted) ? wanted : "en";
  return language;
}

export async function learn(address) {
  game = await (await fetch(address)).json();
}

export function text(key, values = {}) {
  return fill(page[language][key] ?? page.en[key] ?? key, values);
}

// An entry of a section of the game's words, undefined if there is none.
export const word = (section, key) => words()[section]?.[key];

export const help = () => words().help ?? [];

// What an action does, "" if its name says it all.
export function explained({ kind, card, pile }) {
  const keys = [`${kind}_${card}`, `${kind}_${pile}`, kind];
  return keys.map((key) => word("explanations", key)).find((words) => words !== undefined) ?? "";
}

// A phrase in words; what phrases are, `narration.py` tells, and `in_words` there does the same.
export function told(phrase, names) {
  if (Array.isArray(phrase)) return phrase.map((each) => told(each, names)).join(" ");
  if (phrase === null || typeof phrase !== "object") return String(phrase);
  if ("key" in phrase) return fill(word("sentences", phrase.key) ?? phrase.key, toldEach(phrase.values, names));
  if ("kind" in phrase) return toldAction(phrase, names);
  if ("seat" in phrase) return names[phrase.seat];
  const [[field, value]] = Object.entries(phrase);
  return (value === "hidden" ? word("hidden", field) : word(`${field}s`, value)) ?? String(value);
}

function toldAction({ kind, card, pile, number, seats }, names) {
  const chosen = seats.map((seat, i) => [`seat${i + 1}`, names[seat]]);
  const fields = toldEach({ card: { card }, pile: { pile }, number: { number } }, names);
  return fill(word("actions", kind) ?? kind, { ...fields, ...Object.fromEntries(chosen) });
}

function toldEach(values, names) {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, told(value, names)]));
}

const words = () => game[language] ?? game.en;

function fill(template, values) {
  return template.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}
