// Why a hint: what may come of the most promising actions, estimated by the server.

import { make } from "./elements.js";
import { inWords, text, word } from "./texts.js";

const percent = (share) => `${Math.round(100 * share)} %`;

// The action to recommend: the one that was, unless another is clearly better.
export function recommended(outlooks, advised) {
  const own = outlooks.find(({ action }) => action === advised);
  return own.level ? own : outlooks.reduce((one, other) => (other.win > one.win ? other : one));
}

// What the recommended action is worth, why, and on demand what the others are.
export function estimates(outlooks, advised, state) {
  const own = outlooks.find(({ action }) => action === advised);
  const bar = make("meter", { value: own.win, max: 1, ariaLabel: text("wins_bar", { wins: hundredth(own) }) });
  const more = make("details");
  more.append(make("summary", { textContent: text("all_estimates") }), outlookTable(outlooks, state));
  return [bar, make("p", { textContent: reason(own, outlooks, state) }), more];
}

const hundredth = ({ win }) => Math.round(100 * win);

function reason(own, outlooks, { actions, names }) {
  const others = outlooks.filter((each) => each !== own);
  const wins = text("wins_of", { wins: hundredth(own) });
  if (!others.length) return wins;
  const best = others.reduce((one, other) => (other.win > one.win ? other : one));
  const other = inWords(actions.find(({ action }) => action === best.action), names);
  return `${wins} ${text(own.level && best.level ? "reason_level" : "reason_best", { other, wins: hundredth(best) })}`;
}

function outlookTable(outlooks, state) {
  const table = make("table", { className: "scores outlook" });
  const body = make("tbody");
  body.append(...outlooks.map((each) => outlookLine(each, state)));
  const note = text("outlook_note", { samples: outlooks[0].samples });
  table.append(body, make("caption", { textContent: note }));
  return table;
}

function outlookLine({ action, win, interval, level, setback, chosen_by, probability }, { actions, names }) {
  const line = make("tr");
  const name = make("th", { scope: "row" });
  name.append(make("b", { textContent: inWords(actions.find((each) => each.action === action), names) }));
  if (chosen_by.length) name.append(make("small", { textContent: text("chosen_by", { names: chosen_by.join(", ") }) }));
  const risk = word("sentences", "outlook")?.replace("{setback}", percent(setback));
  const [low, high] = interval.map((share) => Math.round(100 * share));
  const wins = text("wins", { share: percent(win), low, high });
  const facts = [risk, wins, level && text("level"), probability !== null && text("network", { share: percent(probability) })];
  line.append(name, make("td", { textContent: facts.filter(Boolean).join("; ") }));
  return line;
}
