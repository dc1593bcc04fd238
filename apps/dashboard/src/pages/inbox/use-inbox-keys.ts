import { useSingleKeys } from '../../components/single-keys';

/** Handles single keys of the inbox. The shortcuts for pages keep theirs. */
export function useInboxKeys(actions: Record<string, () => void>): void {
  useSingleKeys((key, afterG, event) => {
    const action = afterG ? undefined : actions[key];
    if (!action) return;
    // The key must not be typed into the field that the action focuses.
    event.preventDefault();
    action();
  });
}
