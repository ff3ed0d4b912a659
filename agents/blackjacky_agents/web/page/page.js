// The page of one seat: shows the state sent by the server and sends the person's choices.

import { Chooser } from "./chooser.js";
import { Connection } from "./connection.js";
import { find, make, makeButton, paragraph } from "./elements.js";
import { Ending } from "./ending.js";
import { Moments } from "./moments.js";
import { moveCards, places } from "./motion.js";
import { estimates, recommended } from "./outlook.js";
import { Pace } from "./pace.js";
import { Picture } from "./picture.js";
import { Sound } from "./sound.js";
import { help, inWords, loadTexts, opponents, optionsInWords, pictures, signs, text, useLanguage, word } from "./texts.js";
import { Tour } from "./tour.js";

const seat = location.pathname.replace(/\/$/, "");
const narrow = matchMedia("(max-width: 40rem) and (orientation: portrait)");
const chooser = new Chooser(find("actions"), { act, changed: showChoice, fallback: find("status"), reached: (actions) => picture.reaches(actions) });
const picture = new Picture(find("picture"), (actions) => chooser.pick(actions), (meaning) => (find("wishes").textContent = meaning));
const connection = new Connection(socketAddress, `${seat}/texts.json`, { received, changed: connectionChanged });
const send = (message) => connection.send(message);
const moments = new Moments(find("moment"), send, find("status"));
const pace = new Pace(find("pace"), find("look"), send);
const sound = new Sound(find("pace"));
const tour = new Tour(find("tour"), picture.root);
const ending = new Ending(find("end"), seat, send);

let state = null;
let advised = null; // the hint for this move
let held = null; // an action that waits to be confirmed
let waiting = false; // for the reply to an action
let condition = "lost"; // of the connection
let storyUntil = -1; // the last move in the story shown
let actor = null; // the seat that made the last move

// ---------------------------------------------------------------- from the server

function received(message) {
  if (message.type === "state") {
    const isNew = state && message.move !== state.move;
    if (message.move !== state?.move) nextMove();
    if (isNew) notice("");
    state = message;
    show();
    if (isNew) sound.play(state.actions.length > 0);
  } else if (message.type === "outlook") {
    if (message.move === state.move) showOutlook(message);
  } else if (message.type === "pause") {
    pace.lookBack(message, state.you);
  } else if (message.type === "hint" && message.move === state.move) {
    advised = message;
    showActions();
    showAdvice();
    find("outlook").textContent = text("estimating");
    send({ type: "outlook", move: state.move, action: message.action });
  } else if (message.type === "error") {
    waiting = false;
    showActions();
    if (message.code !== "stale") notice(text(`error_${message.code}`, { text: message.text }));
    find("outlook").replaceChildren();
    showAdvice();
  }
}

function nextMove() {
  [advised, waiting, actor] = [null, false, state?.turn];
  hold(null);
  find("outlook").replaceChildren();
}

function connectionChanged(now) {
  condition = now;
  waiting = false;
  find("take-back").hidden = now !== "taken_over";
  if (now !== "open") moments.hide();
  notice(now === "open" ? "" : text(now));
  if (state) showActions();
}

// ---------------------------------------------------------------- to the server

// The server draws the picture for this width and language.
function socketAddress() {
  const look = new URLSearchParams({ layout: narrow.matches ? "phone" : "table", language: document.documentElement.lang });
  return `${location.protocol.replace("http", "ws")}//${location.host}${seat}/socket?${look}`;
}

function act(action) {
  if (find("confirms").checked && held !== action) return hold(action);
  hold(null);
  if (waiting || !connection.send({ type: "act", move: state.move, action })) return;
  waiting = true;
  notice("");
  showActions();
}

// What has been chosen is done once it is confirmed, or chosen again.
function hold(action) {
  held = action;
  find("held").hidden = action === null;
  if (action === null) return find("held").replaceChildren();
  const words = inWords(state.actions.find((each) => each.action === action), state.names);
  const yes = makeButton("confirm", text("confirm"), () => act(action));
  find("held").replaceChildren(make("b", { textContent: text("held", { words }) }), yes, makeButton("undo", text("undo"), () => hold(null)));
  yes.focus();
}

// ---------------------------------------------------------------- showing

function show() {
  find("title").textContent = state.title;
  showTable();
  moments.show(state);
  pace.show(state);
  sound.show();
  ending.show(state);
  showStatus();
  chooser.offer(state.actions, state.names);
  showChoice();
  showStory();
  showHints();
  showMenu();
  tour.show(state);
}

// The table in words, for who cannot see the picture; where the game is stands beside the title for everybody.
function showTable() {
  const [when, ...rest] = state.table.map((phrase) => inWords(phrase, state.names));
  find("when").textContent = when ?? "";
  find("in-words").replaceChildren(...rest.map((words) => make("li", { textContent: words })));
  const away = state.names.filter((_, q) => state.started && !state.connected[q]);
  find("watching").textContent = state.watching ? text("watching", { count: state.watching }) : "";
  find("away").textContent = away.length ? text("away", { names: away.join(", ") }) : "";
}

function showStatus() {
  const mine = state.turn === state.you && state.actions.length > 0;
  find("status").textContent = moments.words || statusText(mine);
  find("status").classList.toggle("paused", state.moment !== null);
  find("wishes").textContent = pace.words;
  find("status").classList.toggle("mine", mine || state.turn === null);
  document.title = `${mine ? "● " : ""}${state.title}`;
}

function statusText(mine) {
  if (state.turn === null) return winnersText();
  if (state.failed) return text("failed", { name: state.names[state.turn] });
  if (!mine) return text("others_turn", { name: state.names[state.turn] });
  if (state.prompt) return inWords(state.prompt, state.names);
  return word("phases", state.view.phase) ?? text("your_turn");
}

function winnersText() {
  const names = state.winners.map((winner) => state.names[winner]).join(", ");
  if (state.winners.length === 0) return text("nobody_won");
  if (state.winners.length === state.names.length) return text("tie");
  if (state.winners.length > 1) return text("several_won", { names });
  return state.winners[0] === state.you ? text("you_won") : text("one_won", { names });
}

function showChoice() {
  const before = places(picture.root);
  picture.show(state.picture, chooser, state.you);
  moveCards(picture.root, before, actor);
  showActions();
}

function showActions() {
  chooser.advised = advised?.action ?? null;
  chooser.show(!waiting && condition === "open");
}

function showStory() {
  const list = find("story");
  const fresh = state.story.filter((each) => each.move > storyUntil);
  if (state.story.length === 0) list.replaceChildren(...opponents(state).map((words) => make("li", { textContent: words })));
  const lines = fresh.map((each) => make("li", { textContent: inWords(each.phrase, state.names) }));
  list.append(...lines);
  while (list.children.length > 200) list.firstChild.remove();
  if (fresh.length) showLastLine();
  storyUntil = state.move - 1;
}

function showLastLine() {
  find("story").scrollTop = find("story").scrollHeight;
}

// Whoever watches has no name and nobody to invite.
function showMenu() {
  for (const name of ["rename", "invite"]) find(name).hidden = state.you === null;
}

// The address for spectators, for the person to pass on.
async function invite() {
  const address = new URL(`/watch/${state.watch}`, location.href).href;
  const copied = await navigator.clipboard?.writeText(address).then(() => true, () => false);
  find("invited").textContent = copied ? text("invited") : address;
}

function showHints() {
  find("hints").hidden = state.actions.length === 0 || !state.hints;
  showAdvice();
}

function showAdvice() {
  const choice = state.actions.find((each) => each.action === advised?.action);
  const words = choice && inWords(choice, state.names);
  find("advice").textContent = choice ? text(advised.key ?? "advice", { words }) : "";
}

function showOutlook({ action: asked, actions }) {
  const { action } = recommended(actions, asked);
  if (action !== asked) advised = { action, key: "advice_now" };
  showActions();
  showAdvice();
  find("outlook").replaceChildren(...estimates(actions, action, state));
  find("outlook").scrollIntoView({ block: "nearest" });
}

function showHelp() {
  find("help").replaceChildren(...help().map((words) => paragraph(words, pictures())));
  find("signs").replaceChildren(...signs().map(([label, meaning]) => make("li", { textContent: `${label}: ${meaning}` })));
  const options = state ? [...opponents(state), ...optionsInWords(state.options)] : [];
  find("options").replaceChildren(...options.map((words) => make("li", { textContent: words })));
}

function notice(words) {
  find("notice").textContent = words;
  find("notice").hidden = !words;
}

// ---------------------------------------------------------------- language, keys, start

function setLanguage(wanted) {
  document.documentElement.lang = find("language").value = useLanguage(wanted);
  for (const each of document.querySelectorAll("[data-text]")) each.textContent = text(each.dataset.text);
  for (const each of document.querySelectorAll("[data-label]")) each.ariaLabel = text(each.dataset.label);
  if (!state) return;
  storyUntil = -1;
  find("story").replaceChildren();
  showHelp();
  show();
  connection.renew();
}

function chooseByKey(event) {
  const busy = event.ctrlKey || event.altKey || event.metaKey || event.target.closest?.("input, select, dialog");
  if (!busy && !event.repeat && (released(event.key) || tour.pressed(event.key) || moments.key(event.key) || chooser.key(event.key))) event.preventDefault();
}

const released = (key) => key === "Escape" && held !== null && (hold(null) ?? true);

await loadTexts(`${seat}/texts.json`);
const asked = new URLSearchParams(location.search).get("language") ?? navigator.language.slice(0, 2);
setLanguage(localStorage.getItem("language") ?? asked);
find("language").onchange = () => {
  localStorage.setItem("language", find("language").value);
  setLanguage(find("language").value);
};
narrow.onchange = () => connection.renew();
find("show-menu").onclick = () => {
  showHelp();
  find("menu").showModal();
};
find("rename").onclick = () => {
  find("name").value = state.names[state.you];
  find("naming").showModal();
};
find("naming").addEventListener("close", () => {
  const name = find("name").value.trim();
  if (name && name !== state.names[state.you]) connection.send({ type: "name", name });
});
find("invite").onclick = invite;
find("confirms").checked = localStorage.getItem("confirms") !== null;
find("confirms").onchange = () => (find("confirms").checked ? localStorage.setItem("confirms", "yes") : localStorage.removeItem("confirms"));
find("lobby").hidden = !localStorage.getItem("lobby"); // of the last lobby that this browser has been in
find("lobby").href = localStorage.getItem("lobby") ?? "";
find("hint").onclick = () => {
  find("advice").textContent = text("thinking");
  send({ type: "hint", move: state.move });
};
find("picture").addEventListener("click", () => state?.moment?.kind === "pause" && moments.proceed());
find("take-back").onclick = () => connection.connect();
document.addEventListener("keydown", chooseByKey);
new ResizeObserver(showLastLine).observe(find("story")); // it shrinks when the panel above it grows
connection.connect();
