// Elements of the page.

export const find = (id) => document.getElementById(id);

export function make(tag, properties) {
  return Object.assign(document.createElement(tag), properties);
}

// A button with a text of the page, in the language of the moment.
export function makeButton(id, words, onclick) {
  return make("button", { id, type: "button", textContent: words, onclick });
}
