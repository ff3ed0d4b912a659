// Motion: a card that appears in the picture comes from where it lay, or from the player who laid it.
//
// Cards have data-card, piles data-pile, and the panels of players data-seat without data-card. Nothing moves for people
// who prefer reduced motion.

const LASTING = 220; // milliseconds
const still = matchMedia("(prefers-reduced-motion: reduce)");

const keyOf = ({ dataset }) => `${dataset.card}/${dataset.seat ?? ""}`;

// Where everything lies now, in a shadow root.
export function places(root) {
  const cards = new Map();
  for (const card of root.querySelectorAll("[data-card]")) {
    const { card: name } = card.dataset;
    cards.set(name, [...(cards.get(name) ?? []), { key: keyOf(card), box: card.getBoundingClientRect() }]);
  }
  return cards;
}

// Moves the cards that have appeared since `before`; `actor` is the seat that made the last move.
export function moveCards(root, before, actor) {
  if (still.matches || !root.querySelector("svg")) return;
  const left = new Map([...before].map(([name, list]) => [name, [...list]]));
  const fresh = [];
  for (const card of root.querySelectorAll("[data-card]")) {
    const list = left.get(card.dataset.card) ?? [];
    const same = list.findIndex((each) => each.key === keyOf(card));
    if (same >= 0) slide(card, list.splice(same, 1)[0].box);
    else fresh.push(card);
  }
  for (const card of fresh) {
    const from = left.get(card.dataset.card)?.shift()?.box ?? origin(root, card, actor);
    if (from) slide(card, from);
  }
}

// A card that nobody saw before comes from its player's panel, or, in one's own hand, from the draw pile.
function origin(root, card, actor) {
  const panel = card.closest(".seat");
  const place = panel ? root.querySelector('[data-pile="draw"]') : root.querySelector(`.seat[data-seat="${actor}"]`);
  return place?.getBoundingClientRect();
}

function slide(card, from) {
  const to = card.getBoundingClientRect();
  const scale = card.ownerSVGElement?.getScreenCTM()?.a ?? 1;
  const x = (from.x + from.width / 2 - to.x - to.width / 2) / scale;
  const y = (from.y + from.height / 2 - to.y - to.height / 2) / scale;
  if (Math.hypot(x, y) < 2) return;
  card.animate({ translate: [`${x}px ${y}px`, "0px 0px"] }, { duration: LASTING, easing: "ease-out" });
}
