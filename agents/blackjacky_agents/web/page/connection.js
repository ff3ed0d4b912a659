// The WebSocket to the server, which reconnects automatically with exponential backoff.

const TAKEN_OVER = 4409, TOO_MANY = 4429, FULL = 4503;
const FIRST_WAIT = 300, LONGEST_WAIT = 10_000; // milliseconds

export class Connection {
  // `address` returns the URL of the WebSocket; `known` is one that is there as long as the seat is.
  constructor(address, known, { received, changed }) {
    Object.assign(this, { address, known, received, changed, wait: FIRST_WAIT, socket: null, timer: 0 });
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
    let opened = false;
    this.socket = new WebSocket(this.address());
    this.socket.onopen = () => {
      opened = true;
      this.changed("open");
    };
    this.socket.onmessage = (event) => {
      this.wait = FIRST_WAIT;
      this.received(JSON.parse(event.data));
    };
    this.socket.onclose = (event) => (opened ? this.closed(event.code) : this.refused(this.socket));
  }

  // Browsers do not say why a WebSocket was refused.
  async refused(socket) {
    const answer = await fetch(this.known, { method: "HEAD", signal: AbortSignal.timeout(LONGEST_WAIT) }).catch(() => null);
    if (socket !== this.socket) return;
    if (answer?.status === 404) return this.changed("unknown");
    this.closed();
  }

  closed(code) {
    if (code === TAKEN_OVER) return this.changed("taken_over");
    if (code === FULL) return this.changed("full");
    if (code === TOO_MANY) this.wait = LONGEST_WAIT;
    this.changed("lost");
    this.timer = setTimeout(() => this.connect(), this.wait * (0.75 + Math.random() / 2));
    this.wait = Math.min(2 * this.wait, LONGEST_WAIT);
  }

  hurry() {
    if (this.timer) this.connect();
  }

  // Another picture, of a connection that is there: not from another window, which has taken the seat over.
  renew() {
    if (this.open) this.connect();
  }

  send(message) {
    if (this.open) this.socket.send(JSON.stringify(message));
    return this.open;
  }
}
