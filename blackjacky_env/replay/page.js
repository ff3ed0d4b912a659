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
  const say = (english, values = {}) => (film.words[english] ?? english).replace(/{(\w+)}/g, (_, name) => values[name]);
  const round = say(film.unit), unit = round[0].toUpperCase() + round.slice(1);
  let at = 0, view = everything, timer = 0;

  // ------------------------------------------------------------ what a viewer may know

  const sees = (seat) => view === seat || view === everything;
  const picture = (step) => film.frames[step][view].map((part) => film.parts[part].map((tag) => film.tags[tag]).join("")).join("");
  const describeMove = (step) => {
    const [seat, name, heard] = moves[step];
    return `${names[seat]}: ${heard !== null && !sees(seat) ? heard : name}`;
  };
  const roundOf = (step) => starts.findLastIndex((start) => start <= step);
  const percent = (share) => (share > 0 && share < 0.01 ? "< 1 %" : Math.round(100 * share) + " %");

  // ------------------------------------------------------------ elements

  function make(parent, tag, attributes = {}, text = "") {
    const element = tag.startsWith("svg:") ? document.createElementNS("http://www.w3.org/2000/svg", tag.slice(4)) : document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.textContent = text;
    parent.append(element);
    return element;
  }

  function makeViews() {
    [...names, say("Spectator"), say("Everything")].forEach((name, number) => {
      const label = make($("views"), "label");
      const input = make(label, "input", { type: "radio", name: "view", value: number });
      make(label, "span", {}, name);
      input.checked = number === view;
      input.addEventListener("change", () => show(at, number));
    });
  }

  function makeRounds() {
    $("rounds").setAttribute("aria-label", say("{unit}s", { unit }));
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
      makeList();
      drawCurve();
    }
    $("picture").innerHTML = picture(at);
    showWords();
    showThoughts();
    showWins();
    showJumps();
    if (at === last) pause();
  }

  function showWords() {
    const number = roundOf(at);
    const event = at ? describeMove(at - 1) : say("The game begins");
    const settled = film.settled.includes(at) ? (at === last ? say(". The game is over") : say(". Settlement")) : "";
    $("now").replaceChildren();
    make($("now"), "span", {}, event + settled);
    make($("now"), "span", { "aria-label": say("Move {at} of {last}", { at, last }) }, `${at} / ${last}`);
    $("slider").value = at;
    $("slider").setAttribute("aria-valuetext", `${say("Move {at} of {last}", { at, last })}, ${unit} ${number + 1}: ${event}${settled}`);
    [...$("rounds").children].forEach((button, i) => mark(button, i === number));
    $("back").disabled = $("round-back").disabled = at === 0;
    $("next").disabled = $("round-next").disabled = at === last;
    $("list").querySelectorAll("[aria-current]").forEach((button) => mark(button, false));
    const now = $("list").querySelector(`[data-step="${at}"]`);
    if (now) mark(now, true);
    $("list").scrollTop = now ? now.offsetTop - $("list").clientHeight / 2 : 0;
  }

  const mark = (button, current) => (current ? button.setAttribute("aria-current", "step") : button.removeAttribute("aria-current"));

  const known = (step) => film.thoughts[step] && sees(moves[step][0]);

  function showThoughts() {
    const step = film.thoughts.findLastIndex((_, step) => step <= at && known(step));
    const first = film.thoughts.findIndex((_, step) => known(step));
    const mind = film.thoughts[step];
    $("thoughts").hidden = first < 0;
    $("thoughts-of").textContent = mind ? describeThinker(step) : say("The first move of {name} is number {number}", { name: names[moves[first]?.[0]], number: first + 1 });
    $("cost").textContent = mind ? describeCost(mind) : "";
    $("cost").classList.toggle("mistake", Boolean(mind && isMistake(mind)));
    $("chances").replaceChildren();
    for (const [move, chance, made] of mind?.chances ?? []) {
      const item = make($("chances"), "li", made ? { class: "made" } : {});
      make(item, "i").style.width = 100 * chance + "%";
      make(item, "span", {}, made ? say("{move} (played)", { move }) : move);
      make(item, "b", {}, percent(chance));
    }
  }

  function describeThinker(step) {
    const player = names[moves[step][0]], by = film.thoughts[step].by;
    const name = by ? say("{by} in place of {player}", { by, player }) : player;
    return step === at ? say("{name} is considering", { name }) : say("{name} considered before move {move}", { name, move: step + 1 });
  }

  const isMistake = ({ cost }) => cost !== null && cost[1] > 0;

  function describeCost(mind) {
    if (!mind.cost) return "";
    const [cost, lowest, highest] = mind.cost, other = `“${mind.chances[0][0]}”`;
    const share = (each) => (100 * each).toFixed(1).replace("-", "−");
    const costs = say("it costs {cost} % ({low} .. {high}) of winning", { cost: share(cost), low: share(lowest), high: share(highest) });
    const gains = say("it gains {cost} % ({low} .. {high}) of winning", { cost: share(-cost), low: share(-highest), high: share(-lowest) });
    if (lowest > 0) return say("A mistake: {costs} against {other}.", { costs, other });
    if (highest < 0) return say("Better than {other}: {gains}.", { gains, other });
    return say("No clear difference from {other}: {costs}.", { costs: cost < 0 ? gains : costs, other });
  }

  // ------------------------------------------------------------ where to jump

  const steps = (wanted) => film.thoughts.flatMap((mind, step) => (known(step) && wanted(mind) ? [step] : []));
  const mistakes = () => steps(isMistake).sort((a, b) => film.thoughts[b].cost[0] - film.thoughts[a].cost[0]);
  const disagreements = () => steps(({ chances }) => !chances[0][2]);
  const nextOf = (places) => places.find((step) => step > at) ?? places[0];
  const after = (places) => places[(places.indexOf(at) + 1) % places.length];

  // The position before the largest change of the win probability of the viewed player, else of a winner, else of anybody.
  function turningPoint() {
    const winners = film.winners.length ? film.winners : names.keys();
    const concerned = view < names.length ? [view] : [...winners];
    const changesOf = (curve) => curve.slice(1).map(([, win], i) => [Math.abs(win - curve[i][1]), curve[i][0]]);
    return concerned.flatMap((seat) => changesOf(estimates(seat))).sort((a, b) => b[0] - a[0])[0]?.[1];
  }

  const JUMPS = {
    turn: turningPoint, mistake: () => after(mistakes()), disagreement: () => nextOf(disagreements()),
    settled: () => film.settled.findLast((step) => step < at), settlement: () => nextOf(film.settled),
  };
  const NONE = { turn: "no estimates of winning", mistake: "no clear mistake found", disagreement: "no disagreement", settled: "no settlement before", settlement: "no settlement" };

  function showJumps() {
    for (const [name, find] of Object.entries(JUMPS)) {
      const there = find();
      $(name).disabled = there === undefined;
      $(name).title = there === undefined ? say(NONE[name]) : `${say("Position")} ${there} (${$(name).getAttribute("aria-keyshortcuts")})`;
    }
  }

  function jump(name) {
    const there = JUMPS[name]();
    if (there !== undefined) go(there);
  }

  // ------------------------------------------------------------ the curve

  const winsOf = () => film.wins ?? film.frames.map((_, step) => names.map((_, seat) => (moves[step]?.[0] === seat ? film.thoughts[step]?.win ?? null : null)));
  let wins = winsOf();
  const estimates = (seat) => wins.flatMap((row, step) => (row[seat] === null ? [] : [[step, row[seat]]]));

  const DASHES = ["", "7 4", "2 3", "10 3 2 3", "5 2", "1 4"];
  const look = (seat) => ({ class: "line", stroke: `var(--line-${seat % 6})`, "stroke-dasharray": DASHES[seat % 6] });
  let drawn = null; // the curves of this view with their scale, and what moves in them

  function drawCurve() {
    const curves = names.map((_, seat) => (sees(seat) ? estimates(seat) : []));
    $("wins").hidden = !curves.some((curve) => curve.length);
    $("curve").replaceChildren();
    $("wins-now").replaceChildren();
    if ($("wins").hidden) return;
    const width = $("curve").clientWidth || 300, height = $("curve").clientHeight || 132;
    const left = 34, right = width - 8, top = 12, bottom = height - 12;
    const x = (step) => left + ((right - left) * step) / Math.max(last, 1);
    const y = (share) => bottom - (bottom - top) * share;
    const svg = make($("curve"), "svg:svg", { viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" });
    drawScale(svg, x, y, left, right);
    curves.forEach((curve, seat) => {
      if (curve.length) make(svg, "svg:polyline", { ...look(seat), points: curve.map(([step, win]) => `${x(step)},${y(win)}`).join(" ") });
    });
    drawMarks(svg, x, top, bottom);
    const cursor = make(svg, "svg:line", { class: "cursor", y1: top, y2: bottom });
    drawn = { curves, left, right, x, y, cursor, dots: make(svg, "svg:g") };
  }

  function drawScale(svg, x, y, left, right) {
    starts.forEach((start, number) => {
      if (number % 2) make(svg, "svg:rect", { class: "band", x: x(start), y: y(1), width: x(starts[number + 1] ?? last) - x(start), height: y(0) - y(1) });
    });
    for (const share of [0, 0.5, 1]) {
      make(svg, "svg:line", { class: "grid", x1: left, x2: right, y1: y(share), y2: y(share) });
      make(svg, "svg:text", { x: left - 5, y: y(share) + 4, "text-anchor": "end" }, percent(share).replace(" ", ""));
    }
    const par = y(1 / names.length);
    make(svg, "svg:line", { class: "par", x1: left, x2: right, y1: par, y2: par });
    make(svg, "svg:text", { x: right, y: par - 3, "text-anchor": "end" }, say("par"));
  }

  const MARKS = { mistake: "▼ mistake", differs: "| disagreement", settled: "▲ settlement" };

  function drawMarks(svg, x, top, bottom) {
    const found = { differs: disagreements(), mistake: mistakes(), settled: film.settled };
    const shapes = { differs: [top - 7, "v6"], mistake: [top - 1, "l-5 -9h10z"], settled: [bottom + 2, "l4 7h-8z"] };
    for (const [kind, [y, shape]] of Object.entries(shapes)) {
      for (const step of found[kind]) make(svg, "svg:path", { class: kind, d: `M${x(step)} ${y}${shape}` });
    }
    const legend = Object.keys(MARKS).filter((kind) => found[kind].length).map((kind) => say(MARKS[kind])).join(" · ");
    const none = film.thoughts.some((mind, step) => known(step) && mind.cost) && !found.mistake.length ? ` ${say("No clear mistake found.")}` : "";
    $("legend").textContent = `${legend}. ${film.note || say("As each player estimated it before its moves.")}${none}`;
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
    const told = [...$("wins-now").children].map((item) => item.textContent);
    $("curve").setAttribute("aria-valuenow", at);
    $("curve").setAttribute("aria-valuetext", `${say("Move {at} of {last}", { at, last })}: ${told.join(", ")}`);
  }

  function followPointer(event) {
    const share = (event.clientX - $("curve").getBoundingClientRect().left - drawn.left) / (drawn.right - drawn.left);
    go(Math.round(last * share));
  }

  // ------------------------------------------------------------ playing

  function play() {
    if (at === last) show(0);
    $("play").classList.add("playing");
    $("play").setAttribute("aria-label", say("Pause"));
    $("play").title = `${say("Pause")} (Space)`;
    $("now").setAttribute("aria-live", "off"); // nobody can listen that fast
    clearInterval(timer);
    timer = setInterval(() => show(at + 1), 1000 / Number($("speed").value));
  }

  function pause() {
    clearInterval(timer);
    timer = 0;
    $("play").classList.remove("playing");
    $("play").setAttribute("aria-label", say("Play"));
    $("play").title = `${say("Play")} (Space)`;
    $("now").setAttribute("aria-live", "polite");
  }

  const go = (step) => { pause(); show(step); };
  const toggle = () => (timer ? pause() : play());
  const roundBack = () => go(starts[at > starts[roundOf(at)] ? roundOf(at) : Math.max(roundOf(at) - 1, 0)]);
  const roundNext = () => go(starts[roundOf(at) + 1] ?? last);

  const KEYS = {
    ArrowLeft: () => go(at - 1), ArrowRight: () => go(at + 1), Home: () => go(0), End: () => go(last),
    "[": roundBack, "]": roundNext, " ": toggle, v: () => show(at, (view + 1) % (everything + 1)),
    t: () => jump("turn"), m: () => jump("mistake"), d: () => jump("disagreement"), s: () => jump("settlement"), S: () => jump("settled"),
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
  $("round-back").setAttribute("aria-label", say("{unit} back", { unit }));
  $("round-next").setAttribute("aria-label", say("Next {unit}", { unit: round }));
  $("play").addEventListener("click", toggle);
  $("speed").addEventListener("change", () => timer && play());
  $("list").addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (button) go(Number(button.dataset.step));
  });
  for (const name of Object.keys(JUMPS)) $(name).addEventListener("click", () => jump(name));
  // A finger that moves up or down scrolls the page and leaves the game where it is.
  $("curve").addEventListener("pointerdown", (event) => $("curve").setPointerCapture(event.pointerId));
  $("curve").addEventListener("pointermove", (event) => $("curve").hasPointerCapture(event.pointerId) && followPointer(event));
  $("curve").addEventListener("click", followPointer);
  $("curve").setAttribute("aria-valuemax", last);
  new ResizeObserver(() => { drawCurve(); showWins(); }).observe($("curve"));

  function translate() {
    document.documentElement.lang = film.language;
    for (const element of document.querySelectorAll("header *, main *")) {
      for (const name of ["aria-label", "title"]) if (element.hasAttribute(name)) element.setAttribute(name, say(element.getAttribute(name)));
      for (const node of element.childNodes) if (node.nodeType === Node.TEXT_NODE) node.data = node.data.replace(/\S.*\S|\S/, (words) => say(words));
    }
  }

  translate();
  makeViews();
  makeRounds();
  makeList();
  drawCurve();
  pause();
  // #turning opens at the biggest mistake, else at the turning point, #turning-SEAT at that of a seat, in its view.
  const opened = location.hash.match(/^#turning(?:-(\d+))?$/);
  const seat = Number(opened?.[1] ?? everything);
  show(0, seat < names.length ? seat : view);
  if (opened) show(mistakes()[0] ?? turningPoint() ?? 0);
  document.documentElement.dataset.ready = "";
  if (parent !== window) parent.postMessage("shown", "*");

  // What a server finds out later follows in the page, which then has been loaded.
  if (document.readyState === "loading") await new Promise((resolve) => document.addEventListener("DOMContentLoaded", resolve));
  if ($("judgement")) {
    Object.assign(film, await unpack($("judgement").textContent));
    wins = winsOf();
    drawCurve();
    show(opened && at === 0 ? mistakes()[0] ?? turningPoint() ?? 0 : at);
  }

  async function unpack(text) {
    const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Response(stream).json();
  }
})();
