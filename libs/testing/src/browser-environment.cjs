// A page without a browser: jsdom, and the parts of Node that it lacks and the dashboard uses. The page's fixture responds to requests.
const { TestEnvironment } = require('jest-environment-jsdom');

const ORIGIN = 'http://localhost';

/** Node.js 24 refuses a signal of jsdom. */
function signalOfNode(signal) {
  const control = new AbortController();
  signal?.addEventListener('abort', () => control.abort());
  return control.signal;
}

class PageRequest extends Request {
  constructor(input, init) {
    super(typeof input === 'string' ? new URL(input, ORIGIN) : input, { ...init, signal: signalOfNode(init?.signal) });
  }
}

class NoObserver {
  observe() {}
  unobserve() {}
  disconnect() {}
}

/** The attributes on which jsdom's default style of an element depends. */
const STYLED_BY = ['hidden', 'open', 'type'];

/**
 * Computes styles from inline styles and jsdom's defaults. No style sheet has an effect here, but jsdom compares each
 * element with the 200 rules of its defaults, which takes a fifth of the time of a page's tests.
 */
function computeStyles(page) {
  const compute = page.getComputedStyle.bind(page);
  const defaults = new Map();
  const defaultOf = (element) => {
    const attributes = STYLED_BY.filter((name) => element.hasAttribute(name)).map((name) => [name, element.getAttribute(name)]);
    const kind = [element.namespaceURI, element.localName, ...attributes].join(' ');
    if (!defaults.has(kind)) {
      const example = page.document.createElementNS(element.namespaceURI, element.localName);
      for (const [name, value] of attributes) example.setAttribute(name, value);
      defaults.set(kind, compute(example));
    }
    return defaults.get(kind);
  };
  const valueOf = (element, property) => {
    const own = element.hasAttribute('style') ? element.style.getPropertyValue(property) : '';
    if (own !== '') return own;
    if (property === 'visibility' && element.parentElement !== null) return valueOf(element.parentElement, property);
    return defaultOf(element).getPropertyValue(property);
  };
  return (element) => {
    const getPropertyValue = (property) => valueOf(element, property);
    return new Proxy(
      { getPropertyValue },
      { get: (style, name) => style[name] ?? getPropertyValue(String(name).replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)) },
    );
  };
}

module.exports = class BrowserEnvironment extends TestEnvironment {
  async setup() {
    await super.setup();
    const page = this.global;
    page.getComputedStyle = computeStyles(page);
    Object.assign(page, { Request: PageRequest, Response, Headers, TextEncoder, structuredClone, ResizeObserver: NoObserver });
    page.Element.prototype.scrollIntoView = () => undefined;
    page.Element.prototype.getClientRects = function () {
      return this.closest('[hidden]') ? [] : [this.getBoundingClientRect()];
    };
    page.scrollTo = () => undefined;
    page.BroadcastChannel = class {
      postMessage() {}
    };
    page.EventSource = class {
      addEventListener() {}
      close() {}
    };
    page.fetch = (request, options) => page.respond(request, options);
    page.matchMedia = (media) => ({ media, matches: false, addEventListener() {}, removeEventListener() {} });
  }
};
