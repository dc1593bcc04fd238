/** @jest-environment ./libs/testing/src/browser-environment.cjs */
import { screen } from '@testing-library/react';
import { useState } from 'react';
import { draw, press } from '../page.fixture';
import { onDemand } from './on-demand';

describe('decision 631: a dialog whose code is loaded when it opens', () => {
  it('closes with a notice while nothing responds, and opens when it is opened again', async () => {
    const loads = [() => Promise.reject(new TypeError('Failed to fetch dynamically imported module')), () => Promise.resolve(Names)];
    function Names() {
      return <p>Names</p>;
    }
    const Dialog = onDemand(() => (loads.shift() as () => Promise<typeof Names>)());
    function Page() {
      const [opened, setOpened] = useState(false);
      return (
        <>
          <button onClick={() => setOpened(true)}>Show</button>
          <p>{opened ? 'open' : 'closed'}</p>
          <Dialog opened={opened} onClose={() => setOpened(false)} />
        </>
      );
    }
    draw(<Page />);
    const { fetch } = window;
    Object.assign(window, { fetch: () => Promise.reject(new TypeError('Failed to fetch')) });
    await press('Show');
    await screen.findByText('The gateway did not respond.');
    await screen.findByText('closed');
    Object.assign(window, { fetch });
    await press('Show');
    await screen.findByText('Names');
  });
});
