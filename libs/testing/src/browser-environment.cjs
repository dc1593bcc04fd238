// A page without a browser: jsdom, and the parts of Node that it lacks and the dashboard uses. The page's fixture responds to requests.
const { TestEnvironment } = require('jest-environment-jsdom');

const ORIGIN = 'http://localhost';

class PageRequest extends Request {
  constructor(input, init) {
    // Node.js 24 refuses a signal of jsdom.
    super(typeof input === 'string' ? new URL(input, ORIGIN) : input, { ...init, signal: null });
  }
}

class NoObserver {
  observe() {}
  unobserve() {}
  disconnect() {}
}

module.exports = class BrowserEnvironment extends TestEnvironment {
  async setup() {
    await super.setup();
    const page = this.global;
    Object.assign(page, { Request: PageRequest, Response, Headers, TextEncoder, structuredClone, ResizeObserver: NoObserver });
    page.Element.prototype.scrollIntoView = () => undefined;
    page.scrollTo = () => undefined;
    page.BroadcastChannel = class {
      postMessage() {}
    };
    page.EventSource = class {
      addEventListener() {}
      close() {}
    };
    page.fetch = (request) => page.respond(request);
    page.matchMedia = (media) => ({ media, matches: false, addEventListener() {}, removeEventListener() {} });
  }
};
