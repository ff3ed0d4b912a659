"use strict";
(async () => {
  const $ = (id) => document.getElementById("page-" + id);
  const film = await unpack($("data").textContent).catch((error) => {
    $("now").textContent = "This replay cannot be read by this browser: " + error.message;
  });
  if (!film) return;

  const { moves, starts, names } = film;
  const last = moves.length;
  const everything = names.length + 1; // the last of the views
  const unit = film.unit[0].toUpperCase() + film.unit.slice(1);
  const opening = new URLSearchParams(location.hash.slice(1));
  const wanted = Number(opening.get("view") ?? everything);
  let at = 0, view = Number.isInteger(wanted) && wanted >= 0 && wanted <= everything ? wanted : everything, timer = 0;

  // ------------------------------------------------------------ what a viewer may know

  const sees = (seat) => view === seat || view === everything;
  const frames = [];
  film.frames.forEach((views, step) => frames.push(views.map((parts, view) => parts.map((part, place) => (part ? part - 1 : frames[step - 1][view][place])))));
  const picture = (step) => frames[step][view].map((part) => film.parts[part].map((tag) => film.tags[tag]).join("")).join("");
  const describeMove = (step) => {
    const [seat, name, heard] = moves[step];
    return `${names[seat]}: ${heard !== null && !sees(seat) ? heard : name}`;
  };
  const agentOf = (step) => film.thoughts[step].by ?? film.thoughts_by;
  const roundOf = (step) => starts.findLastIndex((start) => start <= step);
  const percent = (share) => (share > 0 && share < 0.01 ? "< 1 %" : Math.round(100 * share) + " %");
  const exactly = (share) => (100 * share).toFixed(1) + " %";

  // ------------------------------------------------------------ what stands out

  const known = (step) => film.thoughts[step] && sees(moves[step][0]);
  const isMistake = (step) => film.thoughts[step].compared?.[3];
  const gain = (step) => film.thoughts[step].compared[1];
  let disagreements = [], mistakes = [], turn = null; // of the players whose thoughts this view has; mistakes by size

  function findJumps() {
    const seen = film.thoughts.map((_, step) => step).filter(known);
    disagreements = seen.filter((step) => !film.thoughts[step].chances[0][2]);
    mistakes = seen.filter(isMistake).sort((a, b) => gain(b) - gain(a));
    turn = turningPoint();
    $("turn").hidden = !film.wins.some((row) => row.some((win) => win !== null));
    $("mistake").hidden = $("differs").hidden = !film.thoughts.some(Boolean);
    $("turn").disabled = turn === null;
    $("mistake").disabled = !mistakes.length;
    $("differs").disabled = !disagreements.length;
    const critics = [...new Set(seen.map(agentOf))];
    $("differs").title = `Next disagreement with ${critics.length === 1 && critics[0] ? critics[0] : "the thoughts shown"} (D)`;
    $("verdict").textContent = verdict(seen.filter((step) => film.thoughts[step].compared));
  }

  // The position at which the estimate for the viewed player, else for a winner, has changed most.
  function turningPoint() {
    const concerned = view < names.length ? [view] : film.winners.filter(sees);
    let most = 0, found = null;
    for (const curve of concerned.map(estimates)) {
      for (let i = 1; i < curve.length; i++) {
        const change = Math.abs(curve[i][1] - curve[i - 1][1]);
        if (change > most) [most, found] = [change, curve[i][0]];
      }
    }
    return found;
  }

  function verdict(compared) {
    if (!compared.length) return "";
    if (!mistakes.length) return `No clear mistake found in ${compared.length} ${compared.length === 1 ? "move" : "moves"} compared with others.`;
    const [worst] = mistakes;
    return `Biggest mistake: move ${worst + 1} of ${names[moves[worst][0]]}, ${exactly(gain(worst))} less win probability.`;
  }

  // ------------------------------------------------------------ elements

  function make(parent, tag, attributes = {}, text = "") {
    const element = tag.startsWith("svg:") ? document.createElementNS("http://www.w3.org/2000/svg", tag.slice(4)) : document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.textContent = text;
    parent.append(element);
    return element;
  }

  function makeViews() {
    [...names, "Spectator", "Everything"].forEach((name, number) => {
      const label = make($("views"), "label");
      const input = make(label, "input", { type: "radio", name: "view", value: number });
      make(label, "span", {}, name);
      input.checked = number === view;
      input.addEventListener("change", () => show(at, number));
    });
  }

  function makeRounds() {
    $("rounds").setAttribute("aria-label", unit + "s");
    starts.forEach((start, number) => {
      const length = (starts[number + 1] ?? last + 1) - start;
      const button = make($("rounds"), "button", { type: "button", tabindex: -1, "aria-label": `${unit} ${number + 1}`, title: `${unit} ${number + 1}` }, number + 1);
      button.style.flexGrow = length;
      button.addEventListener("click", () => show(start));
    });
  }

  function makeList() {
    $("list").replaceChildren();
    for (let step = 0; step < last; step++) {
      const item = make($("list"), "li");
      if (starts.includes(step)) make(item, "h3", {}, `${unit} ${roundOf(step) + 1}`);
      const button = make(item, "button", { type: "button", "data-step": step + 1 });
      make(button, "i", {}, step + 1);
      make(button, "span", {}, describeMove(step));
    }
  }

  // ------------------------------------------------------------ showing a position

  function show(step, seen = view) {
    at = Math.max(0, Math.min(last, step));
    if (seen !== view) {
      view = seen;
      const input = $("views").querySelectorAll("input")[view];
      input.checked = true;
      $("views").scrollLeft = input.parentElement.offsetLeft - $("views").clientWidth / 2;
      showView();
    }
    $("picture").innerHTML = picture(at);
    showWords();
    showThoughts();
    showWins();
    if (at === last) pause();
  }

  function showView() {
    findJumps();
    makeList();
    drawCurve();
  }

  function showWords() {
    const round = roundOf(at);
    const event = at ? describeMove(at - 1) : "The game begins";
    const settled = film.settled.includes(at) ? (at === last ? ". The game is over" : ". Settlement") : "";
    $("now").replaceChildren();
    make($("now"), "span", {}, event + settled);
    make($("now"), "span", { "aria-label": `Move ${at} of ${last}` }, `${at} / ${last}`);
    $("slider").value = at;
    $("slider").setAttribute("aria-valuetext", `Move ${at} of ${last}, ${unit} ${round + 1}: ${event}${settled}`);
    [...$("rounds").children].forEach((button, number) => mark(button, number === round));
    $("back").disabled = $("round-back").disabled = at === 0;
    $("next").disabled = $("round-next").disabled = at === last;
    $("settled-back").disabled = settledBack() === undefined;
    $("settled-next").disabled = settledNext() === undefined;
    $("list").querySelectorAll("[aria-current]").forEach((button) => mark(button, false));
    const now = $("list").querySelector(`[data-step="${at}"]`);
    if (now) mark(now, true);
    $("list").scrollTop = now ? now.offsetTop - $("list").clientHeight / 2 : 0;
  }

  const mark = (button, current) => (current ? button.setAttribute("aria-current", "step") : button.removeAttribute("aria-current"));

  function showThoughts() {
    const step = film.thoughts.findLastIndex((_, step) => step <= at && known(step));
    const first = film.thoughts.findIndex((_, step) => known(step));
    $("thoughts").hidden = first < 0;
    $("thoughts-of").textContent = step < 0 ? `No move of ${names[moves[first]?.[0]]} yet; the first is move ${first + 1}.` : thinker(step);
    $("compared").textContent = step < 0 ? "" : comparison(film.thoughts[step].compared);
    $("compared").classList.toggle("mistake", step >= 0 && Boolean(isMistake(step)));
    $("chances").replaceChildren();
    for (const [move, chance, made] of film.thoughts[step]?.chances ?? []) {
      const item = make($("chances"), "li", made ? { class: "made" } : {});
      make(item, "i").style.width = 100 * chance + "%";
      make(item, "span", {}, made ? `${move} (played)` : move);
      make(item, "b", {}, percent(chance));
    }
  }

  function thinker(step) {
    const player = names[moves[step][0]], agent = agentOf(step);
    const name = agent ? `${agent} in place of ${player}` : player;
    return step === at ? `${name} is considering` : `${name} considered before move ${step + 1}`;
  }

  function comparison(compared) {
    if (!compared) return "";
    const [move, gain, margin, better] = compared;
    if (better) return `A mistake: “${move}” has ${exactly(gain)} more win probability (± ${exactly(margin)}).`;
    return `Not clearly worse than “${move}”: ${gain < 0 ? "−" : "+"}${exactly(Math.abs(gain))} (± ${exactly(margin)}) with that.`;
  }

  // ------------------------------------------------------------ the curve

  const DASHES = ["", "7 4", "2 3", "10 3 2 3", "5 2", "1 4"];
  const look = (seat) => ({ class: "line", stroke: `var(--line-${seat % 6})`, "stroke-dasharray": DASHES[seat % 6] });
  let drawn = null; // the curve's scale, and what moves in it

  function estimates(seat) {
    return film.wins.map((row, step) => [step, row[seat] / 1000]).filter(([step]) => film.wins[step][seat] !== null);
  }

  function drawCurve() {
    const curves = names.map((_, seat) => (sees(seat) ? estimates(seat) : []));
    $("wins").hidden = !curves.some((curve) => curve.length);
    $("curve").replaceChildren();
    if ($("wins").hidden) return;
    const width = $("curve").clientWidth || 300, height = $("curve").clientHeight || 118;
    const left = 34, right = width - 8, top = 14, bottom = height - 10;
    const x = (step) => left + ((right - left) * step) / Math.max(last, 1);
    const y = (share) => bottom - (bottom - top) * share;
    const svg = make($("curve"), "svg:svg", { viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" });
    drawGround(svg, x, y, left, right);
    curves.forEach((curve, seat) => {
      if (curve.length) make(svg, "svg:polyline", { ...look(seat), points: curve.map(([step, win]) => `${x(step)},${y(win)}`).join(" ") });
    });
    drawMarks(svg, x, top, bottom);
    const cursor = make(svg, "svg:line", { class: "cursor", y1: top, y2: bottom });
    drawn = { curves, left, right, x, y, cursor, dots: make(svg, "svg:g") };
  }

  function drawGround(svg, x, y, left, right) {
    starts.forEach((start, number) => {
      if (number % 2) make(svg, "svg:rect", { class: "band", x: x(start), y: y(1), width: x(starts[number + 1] ?? last) - x(start), height: y(0) - y(1) });
    });
    for (const share of [0, 0.5, 1]) {
      make(svg, "svg:line", { class: "grid", x1: left, x2: right, y1: y(share), y2: y(share) });
      make(svg, "svg:text", { x: left - 5, y: y(share) + 4, "text-anchor": "end" }, percent(share).replace(" ", ""));
    }
    const par = y(1 / names.length);
    make(svg, "svg:line", { class: "par", x1: left, x2: right, y1: par, y2: par });
    make(svg, "svg:text", { x: right, y: par - 3, "text-anchor": "end" }, "par");
  }

  function drawMarks(svg, x, top, bottom) {
    const put = (steps, kind, path) => steps.forEach((step) => make(svg, "svg:path", { class: kind, d: path(x(step)) }));
    put(film.settled, "settled", (x) => `M${x} ${bottom + 2}l3.5 7h-7z`);
    put(disagreements, "differs", (x) => `M${x} ${top - 7}v5`);
    put(mistakes, "mistake", (x) => `M${x} ${top - 1}l-5 -10h10z`);
  }

  function showWins() {
    if ($("wins").hidden) return;
    drawn.cursor.setAttribute("x1", drawn.x(at));
    drawn.cursor.setAttribute("x2", drawn.x(at));
    drawn.dots.replaceChildren();
    $("wins-now").replaceChildren();
    drawn.curves.forEach((curve, seat) => {
      const now = curve.findLast(([step]) => step <= at);
      if (!now) return;
      make(drawn.dots, "svg:circle", { class: "dot", fill: `var(--line-${seat % 6})`, cx: drawn.x(now[0]), cy: drawn.y(now[1]), r: 4 });
      const item = make($("wins-now"), "span", {}, `${names[seat]} ${percent(now[1])}`);
      const sample = make(item, "svg:svg", { viewBox: "0 0 30 10", "aria-hidden": "true" });
      item.prepend(sample);
      make(sample, "svg:line", { ...look(seat), x1: 0, x2: 30, y1: 5, y2: 5 });
    });
    $("curve").setAttribute("aria-valuenow", at);
    $("curve").setAttribute("aria-valuetext", `Move ${at} of ${last}: ${[...$("wins-now").children].map((item) => item.textContent).join(", ")}`);
  }

  function followPointer(event) {
    const share = (event.clientX - $("curve").getBoundingClientRect().left - drawn.left) / (drawn.right - drawn.left);
    go(Math.round(last * share));
  }

  // ------------------------------------------------------------ playing

  function play() {
    if (at === last) show(0);
    $("play").classList.add("playing");
    $("play").setAttribute("aria-label", "Pause");
    $("play").title = "Pause (Space)";
    $("now").setAttribute("aria-live", "off"); // nobody can listen that fast
    clearInterval(timer);
    timer = setInterval(() => show(at + 1), 1000 / Number($("speed").value));
  }

  function pause() {
    clearInterval(timer);
    timer = 0;
    $("play").classList.remove("playing");
    $("play").setAttribute("aria-label", "Play");
    $("play").title = "Play (Space)";
    $("now").setAttribute("aria-live", "polite");
  }

  const go = (step) => { pause(); show(step); };
  const toggle = () => (timer ? pause() : play());
  const roundBack = () => go(starts[at > starts[roundOf(at)] ? roundOf(at) : Math.max(roundOf(at) - 1, 0)]);
  const roundNext = () => go(starts[roundOf(at) + 1] ?? last);
  const settledBack = () => film.settled.findLast((step) => step < at);
  const settledNext = () => film.settled.find((step) => step > at);
  const jump = (step) => step === undefined || step === null || go(step);
  const nextMistake = () => jump(mistakes[(mistakes.indexOf(at) + 1) % mistakes.length]);
  const nextDifference = () => jump(disagreements.find((step) => step > at) ?? disagreements[0]);

  const KEYS = {
    ArrowLeft: () => go(at - 1), ArrowRight: () => go(at + 1), Home: () => go(0), End: () => go(last),
    "[": roundBack, "]": roundNext, " ": toggle, v: () => show(at, (view + 1) % (everything + 1)),
    s: () => jump(settledNext()), S: () => jump(settledBack()), t: () => jump(turn), m: nextMistake, d: nextDifference,
  };

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey && !event.getModifierState("AltGraph")) return;
    if (event.metaKey || (event.altKey && !event.getModifierState("AltGraph"))) return;
    const kind = event.target.type ?? event.target.localName;
    const own = { "select-one": true, radio: event.key.startsWith("Arrow") || event.key === " ", button: event.key === " ", summary: event.key === " " };
    if (own[kind]) return; // what the element itself does with this key
    const act = kind === "range" || event.target === $("curve") ? { PageUp: roundNext, PageDown: roundBack, ...KEYS }[event.key] : KEYS[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });

  $("slider").max = last;
  $("slider").addEventListener("input", (event) => go(Number(event.target.value)));
  $("back").addEventListener("click", () => go(at - 1));
  $("next").addEventListener("click", () => go(at + 1));
  $("round-back").addEventListener("click", roundBack);
  $("round-next").addEventListener("click", roundNext);
  $("round-back").setAttribute("aria-label", unit + " back");
  $("round-next").setAttribute("aria-label", "Next " + film.unit);
  $("play").addEventListener("click", toggle);
  $("settled-back").addEventListener("click", () => jump(settledBack()));
  $("settled-next").addEventListener("click", () => jump(settledNext()));
  $("turn").addEventListener("click", () => jump(turn));
  $("mistake").addEventListener("click", nextMistake);
  $("differs").addEventListener("click", nextDifference);
  $("curve").setAttribute("aria-valuemax", last);
  $("curve").addEventListener("pointerdown", (event) => $("curve").setPointerCapture(event.pointerId));
  $("curve").addEventListener("pointermove", (event) => $("curve").hasPointerCapture(event.pointerId) && followPointer(event));
  $("curve").addEventListener("click", followPointer);
  $("speed").addEventListener("change", () => timer && play());
  $("list").addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (button) go(Number(button.dataset.step));
  });
  addEventListener("resize", () => { drawCurve(); showWins(); });

  makeViews();
  makeRounds();
  $("note").textContent = film.note || "As each player estimated it before its own moves.";
  showView();
  pause();
  show(opening.get("at") === "turning-point" ? turn ?? 0 : Math.trunc(Number(opening.get("at"))) || 0);
  document.documentElement.dataset.ready = "";

  async function unpack(text) {
    const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Response(stream).json();
  }
})();
