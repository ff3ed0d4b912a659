// Words of the page in the reader's language. What the server says is English; patterns of texts.json translate it.

const all = await (await fetch("/page/texts.json")).json();
const compiled = {};
let language = "en";

export const languages = Object.keys(all);

export function speak(wanted) {
  language = languages.includes(wanted) ? wanted : "en";
  compiled[language] ??= all[language].patterns.map(([pattern, words]) => [expression(pattern), words]);
  return language;
}

// In patterns "@" stands for a seat such as {2}, "#" for a number.
function expression(pattern) {
  return new RegExp(`^${pattern.replaceAll("@", "(\\{\\d+\\})").replaceAll("#", "(-?[\\d.]+)")}$`);
}

export const has = (key) => key in all[language].texts;

export function text(key, values = {}) {
  const words = all[language].texts[key] ?? all.en.texts[key] ?? key;
  return words.replace(/\$(\w+)/g, (whole, name) => values[name] ?? whole);
}

// A sentence of the server with names for its {seat}.
export function told(sentence, names, game) {
  return signs(translated(sentence), game).replace(/\{(\d+)\}/g, (_, seat) => names[seat]);
}

function translated(sentence) {
  for (const [pattern, words] of compiled[language]) {
    const found = pattern.exec(sentence);
    if (found) return words.replace(/\$(\d)/g, (_, group) => translated(found[group]));
  }
  return sentence;
}

const SUITS = { C: "♣", D: "♦", H: "♥", S: "♠" };

function signs(sentence, game) {
  if (game !== "schwarze_katze") return sentence;
  return sentence.replace(/\b(10|[2-9JQKA])([CDHS])\b/g, (_, rank, suit) => `${rank}${SUITS[suit]}`);
}
