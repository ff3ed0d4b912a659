// Elements of the page.

export const find = (id) => document.getElementById(id);

export function make(tag, properties) {
  return Object.assign(document.createElement(tag), properties);
}

// A paragraph, with a picture in place of each "[CARD]".
export function paragraph(words, pictures) {
  const element = make("p");
  const parts = words.split(/\[([^\]]+)\]/);
  element.append(...parts.map((each, i) => (i % 2 && pictures[each] ? make("img", { className: "card", src: pictures[each], alt: each }) : each)));
  return element;
}

// A button with these words.
export function makeButton(id, words, onclick) {
  return make("button", { id, type: "button", textContent: words, onclick });
}
