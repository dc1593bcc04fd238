import { useEffect, type RefObject } from 'react';

/** A dialog that closes returns the focus within this time, in milliseconds. */
const RETURN_MS = 50;

/**
 * Keeps the focus on the page for people without a mouse. Browsers take it from an element that is disabled or removed: it returns to a button
 * that was disabled while its request ran. If the element is gone, the focus goes to an open dialog, or to the element that had it before a
 * dialog or menu opened, or to the page's content.
 */
export function useKeptFocus(content: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    let focused: HTMLElement | null = null;
    let outside: HTMLElement | null = null;
    const remember = ({ target }: Event) => {
      focused = target instanceof HTMLElement ? target : null;
      if (focused && !focused.closest('[role=dialog], [role=menu]')) outside = focused;
    };
    const forget = () => (focused = null);
    const restore = () => {
      if (!focused || document.activeElement !== document.body) return;
      const dialog = [...document.querySelectorAll<HTMLElement>('[aria-modal=true]')].at(-1);
      // A button that is disabled again does not take it.
      const next = focused.isConnected ? focused : (dialog ?? (outside?.isConnected ? outside : content.current));
      next?.focus({ preventScroll: true });
    };
    const observer = new MutationObserver((changes) => {
      if (!focused || document.activeElement !== document.body) return;
      if (!focused.isConnected || changes.some(({ type, target }) => type === 'attributes' && target === focused))
        setTimeout(restore, RETURN_MS);
    });
    document.addEventListener('focusin', remember);
    // A click outside all controls takes the focus away on purpose.
    document.addEventListener('pointerdown', forget);
    observer.observe(document.body, { childList: true, subtree: true, attributeFilter: ['disabled'] });
    return () => {
      document.removeEventListener('focusin', remember);
      document.removeEventListener('pointerdown', forget);
      observer.disconnect();
    };
  }, []);
}
