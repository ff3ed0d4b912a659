// What people should see before the game goes on: who is still awaited, a full trick, a settlement.
//
// The server says what is to be seen and when it ends; a settlement ends when somebody continues.

import { find, make, makeButton } from "./elements.js";
import { scoreTable } from "./scores.js";
import { inWords, text } from "./texts.js";

export class Moments {
  // `fallback` has the focus when the settlement is gone.
  constructor(element, send, fallback) {
    Object.assign(this, { element, send, fallback, settlement: find("settlement") });
  }

  show(state) {
    this.state = state;
    this.showAwaited();
    this.showSettlement();
  }

  // What the status line says instead of whose turn it is; "" in the course of the game.
  get words() {
    const { moment, names, started } = this.state;
    if (!started) return text("not_started");
    return moment ? moment.told.map((phrase) => inWords(phrase, names)).join(". ") || text("settlement") : "";
  }

  showAwaited() {
    const { awaited, names, started } = this.state;
    this.element.hidden = started;
    if (started) return this.element.replaceChildren();
    const words = awaited.length ? text("awaited", { names: awaited.map((q) => names[q]).join(", ") }) : "";
    const start = makeButton("start", text("start"), () => this.send({ type: "start" }));
    start.hidden = this.state.you === null;
    this.element.replaceChildren(make("p", { textContent: words }), start);
  }

  // Beside the picture, which shows whom it concerns; the rules would hide both, so they close.
  showSettlement() {
    const { scores, names, may_continue } = this.state;
    if (!this.settling) return this.hide();
    const isNew = this.settlement.hidden;
    const title = make("h2", { textContent: text("settlement"), id: "settlement-title" });
    const proceed = makeButton("continue", text(may_continue ? "continue" : "others_continue"), () => this.proceed());
    proceed.disabled = !may_continue;
    const hadFocus = this.settlement.contains(document.activeElement);
    this.settlement.hidden = false;
    this.settlement.replaceChildren(title, scoreTable(scores, names), proceed);
    if (isNew) for (const each of ["menu", "looking"]) find(each).close();
    if (isNew || hadFocus) proceed.focus({ preventScroll: true });
  }

  get settling() {
    return this.state?.moment?.kind === "settlement";
  }

  // Without a connection nothing can be continued.
  hide() {
    if (this.settlement.contains(document.activeElement)) this.fallback.focus();
    this.settlement.hidden = true;
    this.settlement.replaceChildren();
  }

  // True if the key means something.
  key(key) {
    if (!this.settling || key !== "Escape") return false;
    this.proceed();
    return true;
  }

  proceed() {
    const { moment, may_continue, move } = this.state;
    if (moment && may_continue) this.send({ type: "continue", move });
  }
}
