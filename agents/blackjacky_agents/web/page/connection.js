// The WebSocket to the server, which reconnects automatically with exponential backoff.

const UNKNOWN = 4404, TAKEN_OVER = 4409, TOO_MANY = 4429;
const FIRST_WAIT = 300, LONGEST_WAIT = 10_000; // milliseconds

export class Connection {
  constructor(address, { received, changed }) {
    Object.assign(this, { address, received, changed, wait: FIRST_WAIT, socket: null, timer: 0 });
    addEventListener("online", () => this.hurry());
    document.addEventListener("visibilitychange", () => document.hidden || this.hurry());
  }

  get open() {
    return this.socket?.readyState === WebSocket.OPEN;
  }

  connect() {
    clearTimeout(this.timer);
    this.timer = 0;
    if (this.socket) this.socket.onclose = null;
    this.socket?.close();
    this.socket = new WebSocket(this.address());
    this.socket.onopen = () => this.changed("open");
    this.socket.onmessage = (event) => {
      this.wait = FIRST_WAIT;
      this.received(JSON.parse(event.data));
    };
    this.socket.onclose = (event) => this.closed(event.code);
  }

  closed(code) {
    if (code === UNKNOWN) return this.changed("unknown");
    if (code === TAKEN_OVER) return this.changed("taken_over");
    if (code === TOO_MANY) this.wait = LONGEST_WAIT;
    this.changed("lost");
    this.timer = setTimeout(() => this.connect(), this.wait * (0.75 + Math.random() / 2));
    this.wait = Math.min(2 * this.wait, LONGEST_WAIT);
  }

  hurry() {
    if (this.timer) this.connect();
  }

  send(message) {
    if (this.open) this.socket.send(JSON.stringify(message));
    return this.open;
  }
}
