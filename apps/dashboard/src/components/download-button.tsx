import { Button, type ButtonProps } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { request } from '../api/client';
import { InputError } from '../api/input-error';

/**
 * A link to a file of any length that the gateway writes. A hidden frame requests it, because the browser's own download of a refusal names
 * no reason: a file leaves the frame empty, and a refusal loads into it.
 */
export function DownloadButton({ href, children, ...button }: ButtonProps & { href: string; children: ReactNode }) {
  const [wanted, want] = useState<{ address: string; nth: number } | null>(null);
  const explain = useMutation({ mutationFn: throwRefusal });
  return (
    <>
      <Button
        {...button}
        component="a"
        href={href}
        download
        onClick={(event) => {
          event.preventDefault();
          want({ address: href, nth: (wanted?.nth ?? 0) + 1 });
        }}
      >
        {children}
      </Button>
      {wanted && <iframe key={wanted.nth} hidden title="Download" src={wanted.address} onLoad={() => explain.mutate(wanted.address)} />}
    </>
  );
}

/** Requests a refused file again, because a browser may not let the page read what the frame shows. */
async function throwRefusal(address: string): Promise<void> {
  const file = new AbortController();
  const response = await fetch(new Request(address, { signal: file.signal }));
  if (response.ok) {
    file.abort();
    throw new InputError('The download did not start. Try again.');
  }
  const error: unknown = await response.json().catch(() => undefined);
  await request(Promise.resolve({ error, response }));
}
