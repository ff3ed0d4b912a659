// The page of one seat: shows the state sent by the server and sends the person's choices.

import { Connection } from "./connection.js";
import { Picture } from "./picture.js";
import { explanationOf, help, inWords, loadTexts, text, useLanguage, word } from "./texts.js";

const KEYS = "1234567890abcdefghijklmnopqrstuvwxyz";
const find = (id) => document.getElementById(id);
const seat = location.pathname.replace(/\/$/, "");
const picture = new Picture(find("picture"), chosenInPicture);
const connection = new Connection(`${location.protocol.replace("http", "ws")}//${location.host}${seat}/socket`, {
  received,
  changed: connectionChanged,
});

let state = null;
let advised = null; // the hint for this move
let waiting = false; // for the reply to an action
let condition = "lost"; // of the connection
let storyUntil = -1; // the last move in the story shown

// ---------------------------------------------------------------- from the server

function received(message) {
  if (message.type === "state") {
    if (message.move !== state?.move) [advised, waiting] = [null, false];
    state = message;
    show();
  } else if (message.type === "hint" && message.move === state.move) {
    advised = message;
    showActions();
    showAdvice();
  } else if (message.type === "error") {
    waiting = false;
    showActions();
    if (message.code !== "stale") notice(text(`error_${message.code}`, { text: message.text }));
    showAdvice();
  }
}

function connectionChanged(now) {
  condition = now;
  waiting = false;
  find("take-back").hidden = now !== "taken_over";
  notice(now === "open" ? "" : text(now));
  if (state) showActions();
}

// ---------------------------------------------------------------- to the server

function act(action) {
  if (waiting || !connection.send({ type: "act", move: state.move, action })) return;
  waiting = true;
  notice("");
  showActions();
}

function chosenInPicture(actions) {
  if (actions.length === 1) return act(actions[0].action);
  const buttons = [...find("actions").children];
  const meant = buttons.filter((button) => actions.some((each) => each.action === Number(button.dataset.action)));
  for (const button of buttons) button.classList.toggle("meant", meant.includes(button));
  meant[0]?.focus();
}

// ---------------------------------------------------------------- showing

function show() {
  find("title").textContent = state.title;
  showSeats();
  showStatus();
  picture.show(state.picture, state.actions);
  showActions();
  showStory();
  showHints();
  find("end").hidden = state.turn !== null;
}

function showSeats() {
  find("seats").replaceChildren(
    ...state.names.map((name, q) => {
      const item = make("li", { className: q === state.turn ? "on-turn" : "" });
      item.append(make("span", { className: "name", textContent: name }));
      if (q === state.turn) item.append(make("span", { className: "unseen", textContent: text("on_turn") }));
      if (q === state.you) item.append(renameButton());
      else if (!state.connected[q]) item.append(make("small", { textContent: text("away") }));
      return item;
    }),
  );
}

function renameButton() {
  const button = make("button", { type: "button", className: "rename", textContent: text("you") });
  button.title = button.ariaLabel = text("rename");
  button.onclick = () => {
    find("name").value = state.names[state.you];
    find("naming").showModal();
  };
  return button;
}

function showStatus() {
  const mine = state.turn === state.you;
  find("status").textContent = statusText(mine);
  find("status").classList.toggle("mine", mine || state.turn === null);
  document.title = `${mine ? "● " : ""}${state.title}`;
}

function statusText(mine) {
  if (state.turn === null) return winnersText();
  if (!mine) return text("others_turn", { name: state.names[state.turn] });
  return word("phases", state.view.phase) ?? text("your_turn");
}

function winnersText() {
  const names = state.winners.map((winner) => state.names[winner]).join(", ");
  if (state.winners.length === 0) return text("nobody_won");
  if (state.winners.length > 1) return text("several_won", { names });
  return state.winners[0] === state.you ? text("you_won") : text("one_won", { names });
}

function showActions() {
  const group = find("actions");
  const hadFocus = group.contains(document.activeElement);
  group.replaceChildren(...state.actions.map(actionButton));
  if (hadFocus) (group.querySelector("button") ?? find("status")).focus();
}

function actionButton(choice, index) {
  const button = make("button", { type: "button" });
  button.dataset.action = choice.action;
  if (index < KEYS.length) {
    button.append(make("kbd", { textContent: KEYS[index], ariaHidden: "true" }));
    button.setAttribute("aria-keyshortcuts", KEYS[index]);
  }
  button.append(make("b", { textContent: inWords(choice, state.names) }));
  const explanation = explanationOf(choice);
  if (explanation) button.append(make("small", { textContent: explanation }));
  button.classList.toggle("advised", advised?.action === choice.action);
  button.disabled = waiting || condition !== "open";
  button.onclick = () => act(choice.action);
  return button;
}

function showStory() {
  const list = find("story");
  const fresh = state.story.filter((each) => each.move > storyUntil);
  if (state.story.length === 0) list.replaceChildren();
  const lines = fresh.map((each) => make("li", { textContent: inWords(each.phrase, state.names) }));
  list.append(...lines);
  while (list.children.length > 200) list.firstChild.remove();
  if (fresh.length) list.scrollTop = list.scrollHeight;
  storyUntil = state.move - 1;
}

function showHints() {
  find("hints").hidden = state.turn !== state.you || state.hints.length === 0;
  const agents = find("hint-agent");
  if (agents.children.length !== state.hints.length) {
    agents.replaceChildren(...state.hints.map((name) => make("option", { value: name, textContent: name })));
  }
  agents.hidden = state.hints.length < 2;
  showAdvice();
}

function showAdvice() {
  const choice = state.actions.find((each) => each.action === advised?.action);
  const words = choice && inWords(choice, state.names);
  find("advice").textContent = choice ? text("advice", { agent: advised.agent, words }) : "";
}

function showHelp() {
  find("help").replaceChildren(...help().map((paragraph) => make("p", { textContent: paragraph })));
  find("help").parentElement.hidden = help().length === 0;
}

function notice(words) {
  find("notice").textContent = words;
  find("notice").hidden = !words;
}

function make(tag, properties) {
  return Object.assign(document.createElement(tag), properties);
}

// ---------------------------------------------------------------- language, keys, start

function setLanguage(wanted) {
  document.documentElement.lang = find("language").value = useLanguage(wanted);
  for (const each of document.querySelectorAll("[data-text]")) each.textContent = text(each.dataset.text);
  for (const each of document.querySelectorAll("[data-label]")) each.ariaLabel = text(each.dataset.label);
  showHelp();
  if (!state) return;
  storyUntil = -1;
  find("story").replaceChildren();
  show();
}

function chooseByKey(event) {
  const busy = event.ctrlKey || event.altKey || event.metaKey || event.target.closest?.("input, select, dialog");
  const choice = state?.actions[KEYS.indexOf(event.key)];
  if (busy || event.repeat || event.key.length !== 1 || !choice) return;
  event.preventDefault();
  act(choice.action);
}

await loadTexts(`${seat}/texts.json`);
const asked = new URLSearchParams(location.search).get("language") ?? navigator.language.slice(0, 2);
setLanguage(localStorage.getItem("language") ?? asked);
find("language").onchange = () => {
  localStorage.setItem("language", find("language").value);
  setLanguage(find("language").value);
};
find("naming").addEventListener("close", () => {
  const name = find("name").value.trim();
  if (name && name !== state.names[state.you]) connection.send({ type: "name", name });
});
find("hint").onclick = () => {
  find("advice").textContent = text("thinking");
  connection.send({ type: "hint", move: state.move, agent: find("hint-agent").value });
};
find("again").onclick = () => connection.send({ type: "again" });
find("record").href = `${seat}/record`;
find("take-back").onclick = () => connection.connect();
document.addEventListener("keydown", chooseByKey);
connection.connect();
