// The table of a settlement: one line for each player, with the reason and what changes (`ScoreTable` in narration.py).

import { inWords, text } from "./texts.js";
import { make } from "./elements.js";

export function scoreTable({ columns, rows }, names) {
  const table = make("table", { className: "scores" });
  const line = make("tr");
  const headings = [text("player"), ...columns.map((column) => inWords(column, names))];
  line.append(...headings.map((words) => make("th", { textContent: words, scope: "col" })));
  const header = make("thead");
  header.append(line);
  const body = make("tbody");
  body.append(...rows.map((row) => scoreLine(row, names)));
  table.append(header, body);
  return table;
}

function scoreLine({ seat, cells, why, mark }, names) {
  const line = make("tr", { className: mark });
  const player = make("th", { scope: "row" });
  player.append(make("b", { textContent: names[seat] }));
  if (why.length) player.append(make("small", { textContent: inWords(why, names) }));
  const words = cells.map((cell) => inWords(cell, names));
  line.append(player, ...words.map((cell) => make("td", { textContent: cell, className: /^−?\d[\d.,]*( → \d+)?$/.test(cell) ? "number" : "" })));
  return line;
}
