// Browsers start no workers for a page that is opened from disk. The site's search needs one: there its script runs in
// a hidden frame instead, with the messages of a worker.

if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    #frame = document.createElement("iframe");
    #channel = new MessageChannel();

    constructor(address) {
      super();
      this.#channel.port1.onmessage = ({ data }) => this.#tell(new MessageEvent("message", { data }));
      this.#frame.hidden = true;
      this.#frame.srcdoc = "<!doctype html>"; // of the page's own origin, with its base address
      this.#frame.onload = () => this.#run(this.#frame.contentWindow, address);
      document.body.append(this.#frame);
    }

    postMessage(...message) {
      this.#channel.port1.postMessage(...message);
    }

    terminate() {
      this.#channel.port1.close();
      this.#frame.remove();
    }

    async #run(scope, address) {
      const port = this.#channel.port2;
      scope.postMessage = (...message) => port.postMessage(...message);
      scope.importScripts = async (...addresses) => { // unlike a worker's, to be awaited
        for (const each of addresses) await load(scope.document, each);
      };
      scope.addEventListener("error", ({ message }) => this.#tell(new ErrorEvent("error", { message })), true);
      await scope.importScripts(address);
      port.onmessage = ({ data }) => scope.dispatchEvent(new MessageEvent("message", { data })); // earlier ones waited
    }

    #tell(event) {
      this.dispatchEvent(event);
      this[`on${event.type}`]?.(event);
    }
  };

  function load(page, address) {
    return new Promise((resolve) => {
      const script = Object.assign(page.createElement("script"), { src: address, onload: resolve });
      page.head.append(script);
    });
  }
}
