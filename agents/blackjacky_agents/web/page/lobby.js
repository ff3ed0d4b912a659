// The lobby: the games as cards, a form for new tables, made from what the games declare, and the tables that there are.

import { find, make, makeButton, paragraph } from "./elements.js";
import { text, useLanguage } from "./texts.js";

const here = location.pathname.replace(/\/$/, "");
let known = null; // games, tables and the address for others
let language = "en";
let opening = false; // a table is ordered, and the server has not answered yet
const opened = JSON.parse(sessionStorage.getItem(here) ?? "[]"); // tables opened here: only we are told their seats
const chosen = { game: null, level: "medium", people: [], agents: [], rules: {} };
const LEVELS = ["easy", "medium", "hard"];

const game = () => known.games.find((each) => each.name === chosen.game);
const variant = () => game().variants.find((each) => each.name === find("variant").value);
const namedTable = () => game().tables.find((each) => each.name === find("namedTable").value); // undefined: the usual table
const path = (address) => new URL(address, location.href).pathname;

async function load() {
  const answer = await fetch(`${here}/tables`);
  known = await answer.json();
  showTables();
  showOthers();
}

// ---------------------------------------------------------------- the form

function choose(name) {
  const { tables: namedTables, variants } = known.games.find((each) => each.name === name);
  Object.assign(chosen, { game: name, people: chosen.people.slice(0, 1), rules: {} });
  if (!chosen.people.length) chosen.people = [myName()];
  find("namedTables").hidden = !namedTables.length;
  find("namedTable").replaceChildren(
    make("option", { value: "", textContent: text("usual") }),
    ...namedTables.map(({ name: value, about }) => make("option", { value, textContent: `${value}: ${about}` })),
  );
  find("variant").replaceChildren(...variants.map((each) => make("option", { value: each.name, textContent: variantInWords(each) })));
  setLevel(chosen.level);
}

// The name that this browser was told once, for the first person.
const myName = () => find("my-name").value.trim() || text("person", { number: 1 });

// A table with its own size, variant and rules, or the usual one.
function setNamedTable() {
  chosen.rules = { ...namedTable()?.options };
  if (namedTable()) find("variant").value = namedTable().variant;
  setLevel(chosen.level);
}

// Opponents of one strength in all seats that the table usually has.
function setLevel(level) {
  const size = namedTable()?.num_players ?? variant().default;
  chosen.level = level;
  chosen.agents = Array(Math.max(size - chosen.people.length, 0)).fill(game().levels[level]);
  showLevels();
  showForm();
}

function showGames() {
  find("games").replaceChildren(...known.games.map(gameCard));
}

function gameCard({ name, title, minutes, variants, has_picture, summary }) {
  const card = make("div", { className: "game" });
  const label = make("label");
  const choice = radio("game", name, chosen.game, choose);
  const sizes = [Math.min(...variants.map(({ min }) => min)), Math.max(...variants.map(({ max }) => max))];
  const facts = [text(sizes[0] === sizes[1] ? "players_exactly" : "players", { min: sizes[0], max: sizes[1] }), minutes && text("minutes", { minutes })];
  if (has_picture) label.append(make("img", { src: `${here}/pictures/${name}.svg`, alt: "" }));
  const words = summary[language] ?? summary.en;
  label.append(choice, make("b", { textContent: title }), make("small", { textContent: facts.filter(Boolean).join(" · ") }), make("span", { textContent: words }));
  const rules = makeButton("", text("help"), () => showRules(name));
  rules.ariaLabel = `${text("help")}: ${title}`;
  card.append(label, rules);
  return card;
}

function radio(group, value, current, pick) {
  const choice = make("input", { type: "radio", name: group, value, checked: value === current });
  choice.onchange = () => pick(value);
  return choice;
}

function showRules(name) {
  const { title, help, pictures } = known.games.find((each) => each.name === name);
  find("rules-title").textContent = title;
  find("paragraphs").replaceChildren(...(help[language] ?? help.en).map((each) => paragraph(each, pictures)));
  find("rules-of-game").showModal();
}

// A level for each agent; the only one goes by its name.
function showLevels() {
  const first = (level) => LEVELS.find((other) => game().levels[other] === game().levels[level]);
  const levels = LEVELS.filter((level) => first(level) === level);
  find("levels").replaceChildren(...levels.map((level) => levelCard(level, first(chosen.level), levels.length > 1)));
}

function levelCard(level, current, isOneOfMany) {
  const agent = game().levels[level];
  const card = make("div", { className: "level" });
  const label = make("label");
  const title = make("b", { textContent: isOneOfMany ? text(level) : agent });
  label.append(radio("level", level, current, setLevel), title, make("small", { textContent: playing(agent) }));
  card.append(label);
  return card;
}

const playing = (agent) => (game().playing[language] ?? game().playing.en)[agent] ?? agent;

function showForm() {
  const size = chosen.people.length + chosen.agents.length;
  const { min, max } = namedTable() ? { min: namedTable().num_players, max: namedTable().num_players } : variant();
  const full = size >= max;
  find("people").replaceChildren(...chosen.people.map(personField), addButton("add-person", text("add_person"), full && !chosen.agents.length, () => {
    if (full) chosen.agents.pop();
    chosen.people.push(text("person", { number: chosen.people.length + 1 }));
  }));
  find("agents").replaceChildren(...chosen.agents.map(agentField), addButton("add-agent", text("add_agent"), full, () => {
    chosen.agents.push(chosen.agents.at(-1) ?? game().agents.at(-1));
  }));
  find("size").textContent = text("size", { size, min, max });
  find("open").disabled = opening || size < min || size > max;
  const options = game().options.filter(({ kind }) => kind in fields);
  find("variants").hidden = !!namedTable() || game().variants.length < 2;
  find("rules-details").hidden = !!namedTable() || options.length === 0;
  find("rules").replaceChildren(...options.map(ruleField));
}

function personField(name, number) {
  const input = make("input", { value: name, maxLength: 20, required: true, ariaLabel: text("person", { number: number + 1 }) });
  input.oninput = () => { chosen.people[number] = input.value; };
  return removable(input, chosen.people, number, chosen.people.length < 2);
}

function agentField(name, number) {
  const select = make("select", { ariaLabel: text("agent", { number: number + 1 }) });
  select.append(...game().agents.map((each) => make("option", { value: each, textContent: each })));
  select.value = name;
  select.onchange = () => { chosen.agents[number] = select.value; };
  return removable(select, chosen.agents, number, false);
}

function removable(field, list, number, last) {
  const group = make("span", { className: "seat-field" });
  group.append(field);
  if (!last) {
    const remove = makeButton("", "×", () => { list.splice(number, 1); showForm(); });
    remove.ariaLabel = `${text("remove")}: ${list[number]}`;
    group.append(remove);
  }
  return group;
}

function addButton(id, words, full, add) {
  const button = makeButton(id, words, () => { add(); showForm(); });
  button.disabled = full;
  return button;
}

// ---------------------------------------------------------------- rule options

const fields = { flag: flagField, integer: integerField, choice: choiceField, subset: subsetField }; // decks are for named tables

function ruleField(option) {
  const field = fields[option.kind](option);
  const label = make("label", { className: "rule" });
  const named = { flag: `${option.name}_true` }[option.kind] ?? option.name;
  const words = inWords(named)?.replace(/:?\s*\{value\}/, " …");
  label.append(make("b", { textContent: words || option.name.replaceAll("_", " ") }), field);
  if (!words) label.append(make("small", { textContent: option.help }));
  return label;
}

const variantInWords = ({ name }) => inWords(`variant_${name}`) || name.replaceAll("_", " ");
const inWords = (key) => game().words[language]?.[key] ?? game().words.en[key];

function set(option, value) {
  if (JSON.stringify(value) === JSON.stringify(option.default)) delete chosen.rules[option.name];
  else chosen.rules[option.name] = value;
}

const valueOf = ({ name, default: usual }) => chosen.rules[name] ?? usual;

function flagField(option) {
  const box = make("input", { type: "checkbox", checked: valueOf(option) });
  box.onchange = () => set(option, box.checked);
  return box;
}

function integerField(option) {
  const { low: min, high: max, optional } = option;
  const input = make("input", { type: "number", min, max, value: valueOf(option) ?? "", required: !optional });
  input.placeholder = optional ? text("usual") : "";
  input.oninput = () => set(option, input.value === "" ? null : Number(input.value));
  return input;
}

function choiceField(option) {
  const select = make("select");
  const words = (value) => inWords(`${option.name}_${value}`) || value.replaceAll("_", " ");
  select.append(...option.choices.map((value) => make("option", { value, textContent: words(value) })));
  select.value = valueOf(option);
  select.onchange = () => set(option, select.value);
  return select;
}

function subsetField(option) {
  const group = make("span", { className: "subset" });
  for (let number = option.low; number <= option.high; number++) {
    const box = make("input", { type: "checkbox", value: number, checked: valueOf(option).includes(number), ariaLabel: String(number) });
    box.onchange = () => set(option, [...group.querySelectorAll("input:checked")].map((each) => Number(each.value)));
    const label = make("label", { textContent: number });
    label.append(box);
    group.append(label);
  }
  return group;
}

// ---------------------------------------------------------------- tables

async function open(event) {
  event.preventDefault();
  opening = find("open").disabled = true;
  notice("");
  find("opened").replaceChildren();
  const { level, ...wanted } = chosen;
  const order = { ...wanted, variant: find("variant").value };
  const answer = await fetch(`${here}/tables`, { method: "POST", body: JSON.stringify(order) }).catch(() => null);
  opening = find("open").disabled = false;
  if (!answer?.ok) return notice(answer ? await answer.text() : text("server_away"));
  const said = await answer.json();
  const seats = said.seats.filter((seat) => seat.address);
  if (seats.length === 1) return location.assign(withLanguage(path(seats[0].address)));
  opened.push(said);
  sessionStorage.setItem(here, JSON.stringify(opened));
  const list = make("ul");
  list.append(tableItem(said, true));
  find("opened").replaceChildren(make("p", { textContent: text("is_opened") }), list);
  await load();
}

function showTables() {
  const isOpened = (table) => opened.some((each) => isSame(each, table));
  const unlisted = opened.filter((each) => !known.tables.some((table) => isSame(each, table)));
  const items = [...known.tables.map((table) => tableItem(table, isOpened(table))), ...unlisted.map((table) => tableItem(table, true))];
  find("tables").replaceChildren(...items.reverse());
  find("open-tables").hidden = !items.length;
}

function isSame(one, other) {
  const addresses = one.seats.map((seat) => seat.address).filter(Boolean);
  return other.seats.some((seat) => addresses.includes(seat.address));
}

function tableItem({ title, seats, round, moves, over, changed, watch }, isNew) {
  const item = make("li", { className: isNew ? "new" : "" });
  const progress = over ? text("is_over") : moves ? text(moves === 1 ? "progress_one" : "progress", { round, moves }) : text("is_new");
  const when = changed ? new Date(1000 * changed).toLocaleString(language, { dateStyle: "medium", timeStyle: "short" }) : "";
  item.append(make("b", { textContent: title }), make("small", { textContent: ` ${[progress, when && text("changed", { when })].filter(Boolean).join(", ")}` }));
  const list = make("ul");
  list.append(...seats.map((seat) => seatItem(seat, isNew)));
  item.append(list);
  if (watch) item.append(make("a", { href: withLanguage(path(watch)), textContent: text("watch_table") }));
  return item;
}

function seatItem({ name, agent, address }, isNew) {
  const item = make("li");
  if (!address) item.append(agent && agent !== name ? `${name} (${agent})` : name);
  else item.append(make("a", { href: withLanguage(path(address)), textContent: name }));
  if (address && known.address) item.append(" ", make("code", { textContent: address }));
  if (address && known.address && isNew) item.append(codeImage(`${path(address)}/code.svg`, name));
  return item;
}

const codeImage = (src, name) => make("img", { src, alt: text("code", { name }), className: "code" });
const withLanguage = (address) => `${address}?language=${language}`;

function showOthers() {
  if (!known.address) return find("others").replaceChildren(make("p", { textContent: text("only_here") }));
  const words = make("p", { textContent: text("for_others") });
  find("others").replaceChildren(words, make("code", { textContent: known.address }), codeImage(`${here}/code.svg`, text("lobby")));
}

function notice(words) {
  find("notice").textContent = words;
  find("notice").hidden = !words;
}

// ---------------------------------------------------------------- language, start

function setLanguage(wanted) {
  language = document.documentElement.lang = find("language").value = useLanguage(wanted);
  document.title = text("lobby");
  for (const each of document.querySelectorAll("[data-text]")) each.textContent = text(each.dataset.text);
  if (known) [showGames, showLevels, showForm, showTables, showOthers].forEach((show) => show());
}

const asked = new URLSearchParams(location.search).get("language") ?? navigator.language.slice(0, 2);
setLanguage(localStorage.getItem("language") ?? asked);
find("language").onchange = () => {
  localStorage.setItem("language", find("language").value);
  setLanguage(find("language").value);
};
find("namedTable").onchange = setNamedTable;
find("variant").onchange = () => setLevel(chosen.level);
find("my-name").value = localStorage.getItem("name") ?? "";
find("my-name").oninput = () => {
  localStorage.setItem("name", find("my-name").value.trim());
  chosen.people[0] = myName();
  showForm();
};
find("order").onsubmit = open;
await load();
localStorage.setItem("lobby", here);
choose(known.games[0].name);
showGames();
