import { useEffect, type RefObject } from 'react';

/** A dialog that closes returns the focus within this time, in milliseconds. */
const RETURN_MS = 50;

const LAYERS = '[role=dialog], [role=menu]';
const CONTROLS = ':is(a[href], button, input:not([type=hidden], [type=file]), textarea, [tabindex]):not(:disabled, [tabindex="-1"])';

/** Those that are drawn: a hidden one takes no focus. */
const controlsIn = (node: Node): HTMLElement[] =>
  node instanceof HTMLElement
    ? [node, ...node.querySelectorAll<HTMLElement>(CONTROLS)].filter((one) => one.matches(CONTROLS) && one.getClientRects().length > 0)
    : [];

/** The parent of a node and what is beside it. */
type Place = Pick<MutationRecord, 'nextSibling' | 'previousSibling'> & { target: Node | null };

/**
 * The control that takes the place of a removed or disabled node: the first one behind it or of what replaced it, or the last one before it,
 * in the smallest part of the page that has one.
 * @param changes all changes of this moment
 * @param whole contains the page; a dialog or page whose complete content was replaced has no such control
 */
function neighbourOf(place: Place, changes: MutationRecord[], whole: HTMLElement | null): HTMLElement | undefined {
  const siblingOf = (side: 'nextSibling' | 'previousSibling') => {
    let node = place[side];
    // It may have been removed too.
    while (node && !node.isConnected)
      node = changes.find(({ removedNodes }) => [...removedNodes].includes(node as ChildNode))?.[side] ?? null;
    return node;
  };
  let [next, previous] = [siblingOf('nextSibling'), siblingOf('previousSibling')];
  // The complete content of a part was replaced.
  if (!next && !previous) next = place.target?.firstChild ?? null;
  for (let part = place.target; part?.parentElement && part.parentElement !== whole; part = part.parentElement) {
    if (part.parentElement.matches(LAYERS)) return undefined;
    for (; next; next = next.nextSibling) if (controlsIn(next)[0]) return controlsIn(next)[0];
    for (; previous; previous = previous.previousSibling) if (controlsIn(previous)[0]) return controlsIn(previous).at(-1);
    [next, previous] = [part.nextSibling, part.previousSibling];
  }
  return undefined;
}

/**
 * Keeps the focus on the page for people without a mouse. Browsers take it from an element that is disabled or removed: it returns to a button
 * that was disabled while its request ran. If the element is gone, it goes to the control beside it (decision 779), or to the element that had
 * it before a dialog or menu opened, or to an open dialog, or to the page's content.
 */
export function useKeptFocus(content: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    /** The element that had the focus last, in the page and in each dialog and menu above it. */
    let trail: HTMLElement[] = [];
    const remember = ({ target }: Event) => {
      if (!(target instanceof HTMLElement)) return;
      const layer = target.closest(LAYERS);
      trail = [...trail.filter((one) => one.isConnected && one.closest(LAYERS) !== layer), target];
    };
    const forget = () => (trail = []);
    const restore = () => {
      if (trail.length === 0 || document.activeElement !== document.body) return;
      const dialog = [...document.querySelectorAll<HTMLElement>('[aria-modal=true]')].at(-1);
      const last = trail.findLast((one) => one.isConnected && (!dialog || dialog.contains(one)));
      // A button that its own action has disabled, such as one that saves changes, does not take it; a button whose request runs gets it later.
      const isDone = last?.matches(':disabled:not([data-loading])');
      const next =
        last && isDone
          ? neighbourOf(
              { target: last.parentElement, nextSibling: last.nextSibling, previousSibling: last.previousSibling },
              [],
              content.current,
            )
          : undefined;
      (next ?? last ?? dialog ?? content.current)?.focus({ preventScroll: true });
    };
    /** Passes the focus of an element that a change removed, with its row or its part of the page, to a control beside it. */
    const pass = (lost: HTMLElement, changes: MutationRecord[]) => {
      const removal = lost.isConnected
        ? undefined
        : changes.find(({ removedNodes }) => [...removedNodes].some((node) => node.contains(lost)));
      // A dialog or menu that closes returns the focus to where it was.
      return removal && !lost.closest(LAYERS) ? (neighbourOf(removal, changes, content.current) ?? lost) : lost;
    };
    const observer = new MutationObserver((changes) => {
      const before = trail.at(-1);
      trail = trail.map((one) => pass(one, changes));
      if (!before || document.activeElement !== document.body) return;
      if (!before.isConnected || changes.some(({ type, target }) => type === 'attributes' && target === before))
        setTimeout(restore, RETURN_MS);
    });
    document.addEventListener('focusin', remember);
    // A click outside all controls takes the focus away on purpose.
    document.addEventListener('pointerdown', forget);
    observer.observe(document.body, { childList: true, subtree: true, attributeFilter: ['disabled', 'data-loading'] });
    return () => {
      document.removeEventListener('focusin', remember);
      document.removeEventListener('pointerdown', forget);
      observer.disconnect();
    };
  }, []);
}
