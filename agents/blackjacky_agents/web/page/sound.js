// A short sound for each move, louder for one's own turn; off until it is switched on, and remembered by the browser.

import { make } from "./elements.js";
import { text } from "./texts.js";

const LENGTH = 0.09; // seconds
let context = null;

export class Sound {
  constructor(settings) {
    this.box = make("input", { type: "checkbox", id: "sound", checked: localStorage.getItem("sound") === "on" });
    this.box.onchange = () => {
      localStorage.setItem("sound", this.box.checked ? "on" : "off");
      this.play(true);
    };
    this.label = make("span");
    const label = make("label");
    label.append(this.label, " ", this.box);
    settings.append(label);
  }

  show() {
    this.label.textContent = text("sound");
  }

  play(mine) {
    if (!this.box.checked) return;
    context ??= new AudioContext();
    const [tone, volume, now] = [context.createOscillator(), context.createGain(), context.currentTime];
    tone.frequency.value = mine ? 660 : 330;
    volume.gain.setValueAtTime(mine ? 0.2 : 0.08, now);
    volume.gain.exponentialRampToValueAtTime(0.001, now + LENGTH);
    tone.connect(volume).connect(context.destination);
    tone.start(now);
    tone.stop(now + LENGTH);
  }
}
