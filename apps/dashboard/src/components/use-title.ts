import { useEffect } from 'react';

/** Sets the page's name on its tab and in the browser's history. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Messaging gateway`;
  }, [title]);
}
