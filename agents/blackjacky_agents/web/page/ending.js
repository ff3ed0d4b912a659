// The end of a game: standings, what decided it, the replay, the record, and another game.

import { make, makeButton } from "./elements.js";
import { scoreTable } from "./scores.js";
import { inWords, text } from "./texts.js";

// The place of the person, unless it is the first, and how far the winner is away.
function placeOf({ scores: { rows }, you, names }) {
  const { place = 1, behind } = rows.find(({ seat }) => seat === you) ?? {};
  if (place === 1) return "";
  return text(behind ? "placed_behind" : "placed", { place, players: rows.length, behind: inWords(behind, names) });
}

export class Ending {
  constructor(element, seat, send) {
    this.element = element;
    this.replay = make("dialog", { id: "replay" });
    this.replay.onclose = () => this.replay.replaceChildren(); // the server works for nobody
    document.body.append(this.replay);
    this.again = makeButton("again", "", () => send({ type: "again" }));
    this.watch = makeButton("watch", "", () => this.showReplay(`${seat}/replay?language=${document.documentElement.lang}`, this.you));
    this.record = make("a", { id: "record", href: `${seat}/record`, className: "button", download: "" });
  }

  show(state) {
    this.you = state.you;
    const ended = state.turn === null && state.moment === null;
    this.element.hidden = !ended;
    if (!ended) {
      this.element.replaceChildren();
      return this.replay.close();
    }
    const place = state.you === null || !state.scores ? "" : placeOf(state);
    const decided = state.story.length ? inWords(state.story.at(-1).phrase, state.names) : "";
    this.again.textContent = text("again");
    this.watch.textContent = text("watch");
    this.record.textContent = text("record");
    const buttons = make("div", { className: "buttons" });
    buttons.append(...(state.you === null ? [] : [this.again]), this.watch, this.record);
    const table = state.scores ? [scoreTable(state.scores, state.names)] : [];
    this.element.replaceChildren(make("p", { id: "decided", textContent: [place, decided].filter(Boolean).join(" ") }), ...table, buttons);
  }

  // At the biggest mistake, seen by this seat, once the server has found it.
  showReplay(address, you) {
    const waiting = make("p", { id: "replay-waits", role: "status", textContent: text("replay_waits") });
    const opened = `${address}#turning${you === null ? "" : `-${you}`}`;
    const frame = make("iframe", { src: opened, title: text("replay") });
    const shown = new AbortController(); // the frame has been loaded only when it is known what all moves were worth
    window.addEventListener("message", ({ source }) => {
      if (source !== frame.contentWindow) return;
      shown.abort();
      waiting.remove();
      frame.contentWindow.focus(); // which the empty page had that has made way for the replay: the keys are the replay's
    }, { signal: shown.signal });
    const close = makeButton("replay-close", text("close"), () => this.replay.close());
    const link = make("a", { href: opened, className: "button", target: "_blank", rel: "noopener", textContent: text("replay_apart") });
    const buttons = make("div", { className: "buttons" });
    const file = make("a", { href: address, className: "button", download: "replay.html", textContent: text("replay_file") });
    buttons.append(file, link, close);
    this.replay.ariaLabel = text("replay");
    this.replay.replaceChildren(frame, buttons, waiting);
    this.replay.showModal();
  }
}
