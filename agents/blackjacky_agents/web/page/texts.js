// Texts of the page and of the game in the reader's language, and the rendering of phrases (see narration.py).

const page = await (await fetch("/page/texts.json")).json();
let game = { en: {} };
let language = "en";

export const languages = Object.keys(page);

export function useLanguage(wanted) {
  language = languages.includes(wanted) ? wanted : "en";
  return language;
}

export async function loadTexts(address) {
  game = await (await fetch(address)).json();
}

export function text(key, values = {}) {
  return fill(page[language][key] ?? page.en[key] ?? key, values);
}

// An entry of the game's texts, undefined if there is none.
export const word = (section, key) => words()[section]?.[key];

export const help = () => words().help ?? [];

// Addresses of the cards that the rules show.
export const pictures = () => game.pictures;

// Steps of the tour: pairs of a place on the page and a text.
export const tour = () => words().tour ?? [];

// What the words in the picture mean: pairs of words and their meaning.
export function signs() {
  const pairs = Object.entries(words().signs ?? {});
  return pairs.map(([label, meaning]) => [word("picture", label) ?? label, meaning]);
}

// The rule options in force that have words.
export function optionsInWords(options) {
  const told = ([name, value]) => word("options", `${name}_${value}`) ?? word("options", name);
  const pairs = Object.entries(options).filter((each) => told(each) !== undefined);
  return pairs.map((each) => fill(told(each), { value: [each[1]].flat().join(" ") })).filter(Boolean);
}

// Who the agents at the table are, and how they play.
export function opponents({ names, agents, levels }) {
  const told = (agent, q) => {
    const how = word("agents", agent);
    if (!how) return text("plays_unknown", { name: names[q], agent });
    return text(levels[q] ? "plays_level" : "plays", { name: names[q], how, level: levels[q] && text(levels[q]).toLowerCase() });
  };
  return agents.flatMap((agent, q) => (agent === null ? [] : [told(agent, q)]));
}

// The explanation of an action, "" if it needs none.
export function explanationOf({ kind, card, pile }) {
  const keys = [`${kind}_${card}`, `${kind}_${pile}`, kind];
  return keys.map((key) => word("explanations", key)).find((words) => words !== undefined) ?? "";
}

// Renders a phrase; the counterpart of `in_words` in wording.py; kit/narration.py documents phrases.
export function inWords(phrase, names) {
  if (Array.isArray(phrase)) {
    const players = phrase.every((each) => each?.seat !== undefined);
    return phrase.map((each) => inWords(each, names)).join(players ? ", " : " ");
  }
  if (phrase === null || typeof phrase !== "object") return String(phrase);
  if ("key" in phrase) return fill(word("sentences", phrase.key) ?? phrase.key, eachInWords(phrase.values, names));
  if ("say" in phrase) return fill(word("picture", phrase.say) ?? phrase.say, eachInWords(phrase.values, names));
  if ("kind" in phrase) return actionInWords(phrase, names);
  if ("seat" in phrase) return names[phrase.seat];
  const [[field, value]] = Object.entries(phrase);
  return (value === "hidden" ? word("hidden", field) : word(`${field}s`, value)) ?? String(value);
}

function actionInWords({ kind, card, pile, number, seats }, names) {
  const chosen = seats.map((seat, i) => [`seat${i + 1}`, names[seat]]);
  const fields = eachInWords({ card: { card }, pile: { pile }, number: { number } }, names);
  return fill(word("actions", kind) ?? kind, { ...fields, ...Object.fromEntries(chosen) });
}

function eachInWords(values, names) {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, inWords(value, names)]));
}

const words = () => game[language] ?? game.en;

function fill(template, values) {
  return template.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}
