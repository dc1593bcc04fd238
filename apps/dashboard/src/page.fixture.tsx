import { MantineProvider } from '@mantine/core';
import { Notifications, notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { act, configure, fireEvent, getConfig, render, screen, within } from '@testing-library/react';
import type { ReactNode } from 'react';
import { queries } from './api/client';

const { getElementError } = getConfig();
configure({
  // A busy machine may take long to draw.
  asyncUtilTimeout: 20_000,
  // A wait drops the errors of its attempts, and adds the page to the last one. Printing it each time takes long.
  getElementError: (message, container) => {
    const config = getConfig();
    const isAttempt = '_disableExpensiveErrorDiagnostics' in config && config._disableExpensiveErrorDiagnostics === true;
    if (message === null || !isAttempt) return getElementError(message, container);
    return Object.assign(new Error(message), { name: 'TestingLibraryElementError' });
  },
});

type Respond = (body: unknown, url: URL, headers: Headers) => unknown;

/** The requests of the page, such as `PUT /api/client/settings`, with their bodies. */
export const requests: { route: string; body: unknown }[] = [];

/** An error response of the API. */
export class Refusal {
  constructor(
    readonly status: number,
    readonly body: object,
    readonly headers: Record<string, string> = {},
  ) {}
}

/** Draws an element as a page of the dashboard. @param routes responds to the page's requests */
export function draw(element: ReactNode, routes: Record<string, Respond> = {}): void {
  queries.clear();
  // A page that the test drew earlier may still show some.
  act(() => notifications.clean());
  requests.length = 0;
  Object.assign(window, {
    respond: async (request: Request, { signal }: RequestInit = {}) => {
      const url = new URL(request.url);
      const route = `${request.method} ${url.pathname}`;
      const text = await request.text();
      const body: unknown = text === '' ? undefined : JSON.parse(text);
      requests.push({ route, body });
      const aborted = new Promise<never>((_, reject) =>
        signal?.addEventListener('abort', () => reject(new DOMException('The request was aborted.', 'AbortError'))),
      );
      const response = (async () => routes[route]?.(body, url, request.headers))();
      const result = (await Promise.race([response, aborted])) ?? new Refusal(404, {});
      if (result instanceof Response) return result;
      const [status, content, headers] = result instanceof Refusal ? [result.status, result.body, result.headers] : [200, result];
      return new Response(JSON.stringify(content), { status, headers: { 'x-request-id': 'req-1', ...headers } });
    },
  });
  render(
    <MantineProvider env="test">
      <Notifications />
      <QueryClientProvider client={queries}>{element}</QueryClientProvider>
    </MantineProvider>,
  );
}

/** The requests that change something. */
export const sent = () => requests.filter(({ route }) => !route.startsWith('GET'));

/** Fills a field as soon as it is there. */
export const type = async (label: string | RegExp, value: string) =>
  fireEvent.change(await screen.findByLabelText(label), { target: { value } });

/** Chooses a file as in a browser, which fires no event if the path stays the same. */
export function chooseFile(name: string, text: string, more: object = {}): void {
  const input = document.querySelector('input[type=file]') as HTMLInputElement;
  if (input.value === name) return;
  Object.defineProperty(input, 'value', { value: name, writable: true, configurable: true });
  // The File of jsdom has no text().
  const file = Object.assign(new File([text], name, { type: 'text/csv' }), { text: () => Promise.resolve(text) });
  fireEvent.change(input, { target: { files: [Object.defineProperties(file, Object.getOwnPropertyDescriptors(more))] } });
}

/** Clicks a button or a switch and waits for its effects on the page. */
export async function press(name: string | RegExp, role = 'button', place: HTMLElement = document.body): Promise<void> {
  await act(async () => {
    fireEvent.click(within(place).getByRole(role, { name }));
    // A navigation draws only after several promises.
    await new Promise((resolve) => setTimeout(resolve));
  });
}
