// What people should see before the game goes on: who is still awaited, a full trick, a settlement.
//
// The server says what is to be seen and when it ends; a settlement ends when somebody continues.

import { make, makeButton } from "./elements.js";
import { scoreTable } from "./scores.js";
import { inWords, text } from "./texts.js";

export class Moments {
  constructor(element, send) {
    this.element = element;
    this.send = send;
    this.settlement = make("dialog", { id: "settlement" });
    this.settlement.addEventListener("cancel", (event) => {
      event.preventDefault();
      this.proceed();
    });
    document.body.append(this.settlement);
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
    this.element.replaceChildren(make("p", { textContent: words }), start);
  }

  showSettlement() {
    const { moment, scores, names, may_continue } = this.state;
    if (moment?.kind !== "settlement") return this.settlement.close();
    const title = make("h2", { textContent: text("settlement"), id: "settlement-title" });
    const proceed = makeButton("continue", text(may_continue ? "continue" : "others_continue"), () => this.proceed());
    proceed.disabled = !may_continue;
    this.settlement.setAttribute("aria-labelledby", title.id);
    this.settlement.replaceChildren(title, scoreTable(scores, names), proceed);
    if (!this.settlement.open) this.settlement.showModal();
    proceed.focus();
  }

  // Without a connection nothing can be continued.
  hide() {
    this.settlement.close();
  }

  proceed() {
    const { moment, may_continue, move } = this.state;
    if (moment && may_continue) this.send({ type: "continue", move });
  }
}
