// The choice of an action, in one step if there are few: else the card first, then a pile or the players.
//
// What is left to choose from is a subset of the legal actions. Buttons, keys and clicks in the picture all narrow it
// down, until one action is left.

import { make } from "./elements.js";
import { explanationOf, inWords, text } from "./texts.js";

const KEYS = "1234567890abcdefghijklmnopqrstuvwxyz";
const FEW = 9; // a button for each action up to here
const EXPLAINED = 6; // what actions do is said up to here
const NARROW = 4; // letters
const WIDE = 17; // longer words on a button need several lines
const FIELDS = ["card", "kind", "number", "pile"]; // in the order in which they are chosen

export class Chooser {
  // `reached`: whether one touch in the picture chooses these actions; on a phone many such buttons make room for it.
  constructor(group, { act, changed, fallback, reached }) {
    Object.assign(this, { group, act, changed, fallback, reached, legal: [], left: [], names: [], advised: null });
  }

  get begun() {
    return this.left.length < this.legal.length;
  }

  // New legal actions; the steps taken are kept if the actions are the same.
  offer(actions, names) {
    this.names = names;
    const same = JSON.stringify(actions) === JSON.stringify(this.legal);
    if (!same) [this.legal, this.left] = [actions, actions];
  }

  pick(actions) {
    const isLast = actions.length === 1;
    this.left = isLast ? this.legal : actions;
    if (isLast) this.act(actions[0].action);
    else this.changed();
  }

  back() {
    if (this.begun) this.pick(this.legal);
  }

  // True if the key means something.
  key(key) {
    if (this.begun && key === "Escape") return this.back() ?? true;
    const group = key.length === 1 ? groupsOf(this.left)[KEYS.indexOf(key)] : undefined;
    if (group) this.pick(group.actions);
    return group !== undefined;
  }

  show(enabled) {
    const active = document.activeElement;
    const hadFocus = this.group.contains(active) || active === this.fallback;
    const groups = groupsOf(this.left);
    const buttons = groups.map((group, index) => this.button(group, index, groups.length <= EXPLAINED));
    const longest = Math.max(...buttons.map((button) => button.querySelector("b").textContent.length), 1);
    if (this.begun) buttons.push(this.backButton());
    for (const button of buttons) button.disabled = !enabled;
    const many = groups.length > EXPLAINED;
    groups.forEach(({ actions }, i) => buttons[i].classList.toggle("touchable", many && this.reached(actions)));
    const words = this.begun ? this.words(this.left) : "…";
    const chosen = make("p", { textContent: words, hidden: words === "…" });
    const touchable = buttons.some((button) => button.matches(".touchable"));
    const touch = make("p", { className: "touch", textContent: text("touch"), hidden: !touchable });
    this.group.replaceChildren(chosen, touch, ...buttons);
    const explained = buttons.some((button) => button.querySelector("small"));
    const room = explained ? WIDE : Math.min(Math.max(longest, NARROW), WIDE);
    this.group.style.setProperty("--letters", room);
    if (hadFocus) (this.group.querySelector("button:enabled") ?? this.fallback).focus();
  }

  // What actions have in common, with "…" for what is not chosen yet.
  words(actions) {
    return inWords(common(actions, this.names.length), [...this.names, "…"]);
  }

  button({ actions, seat }, index, explained) {
    const button = make("button", { type: "button" });
    if (actions.length === 1) button.dataset.action = actions[0].action;
    addKey(button, KEYS[index]);
    const isPlayer = seat !== undefined && actions.length > 1;
    button.append(make("b", { textContent: isPlayer ? this.names[seat] : this.words(actions) }));
    const [explanation, ...others] = new Set(actions.map(explanationOf));
    if (explained && !isPlayer && explanation && !others.length) button.append(make("small", { textContent: explanation }));
    button.classList.toggle("advised", actions.some((each) => each.action === this.advised));
    button.onclick = () => this.pick(actions);
    return button;
  }

  backButton() {
    const button = make("button", { type: "button", className: "back" });
    addKey(button, "Escape", "Esc");
    button.append(make("b", { textContent: text("back") }));
    button.onclick = () => this.back();
    return button;
  }
}

// The groups of the next step, which differ in one field or have a `seat` in common, or each action alone. Actions that
// differ in nothing but whom they concern are one step, and the players the next.
function groupsOf(actions) {
  const alone = actions.map((each) => ({ actions: [each] }));
  if (actions.length <= FEW) {
    const deeds = Map.groupBy(actions, (each) => JSON.stringify(FIELDS.map((name) => each[name])));
    return deeds.size > 1 ? [...deeds.values()].map((group) => ({ actions: group })) : playersOf(actions, alone);
  }
  for (const field of FIELDS.filter((name) => actions.some((each) => each[name] !== null))) {
    const groups = Map.groupBy(actions, (each) => each[field] ?? each.action);
    if (groups.size === 1) continue;
    return groups.size < actions.length ? [...groups.values()].map((group) => ({ actions: group })) : alone;
  }
  return playersOf(actions, alone);
}

function playersOf(actions, alone) {
  const seats = [...new Set(actions.flatMap((each) => each.seats))];
  const groups = seats.map((seat) => ({ seat, actions: actions.filter((each) => each.seats.includes(seat)) }));
  return !groups.length || groups.some((group) => group.actions.length === actions.length) ? alone : groups;
}

// The action that a group stands for, as a phrase with "…" for what is not chosen yet.
function common(actions, nobody) {
  const [first] = actions;
  const shared = (value) => actions.every((each) => value(each) === value(first));
  const field = (name) => (shared((each) => each[name]) ? first[name] : "…");
  if (!shared((each) => each.kind)) return first.card === null ? "…" : [{ card: field("card") }, "…"];
  const seats = first.seats.map((seat, i) => (shared((each) => each.seats[i]) ? seat : nobody));
  return { kind: first.kind, card: field("card"), pile: field("pile"), number: field("number"), seats };
}

function addKey(button, key, shown = key) {
  if (key === undefined) return;
  button.append(make("kbd", { textContent: shown, ariaHidden: "true" }));
  button.setAttribute("aria-keyshortcuts", key);
}
