import { useEffect } from 'react';
import { inboxCountShown } from '../api/inbox-counts';

let page = '';
let unread = 0;

function write(): void {
  document.title = `${unread > 0 ? `(${inboxCountShown(unread)}) ` : ''}${page} · Messaging gateway`;
}

/** Sets the page's name on its tab and in the browser's history. */
export function useTitle(title: string): void {
  useEffect(() => {
    page = title;
    write();
  }, [title]);
}

/** Shows the number of unread conversations on the tab. */
export function useUnreadInTitle(count: number): void {
  useEffect(() => {
    unread = count;
    if (page) write();
  }, [count]);
}
