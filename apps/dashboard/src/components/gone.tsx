import { EmptyState } from './empty-state';

/** Replaces a resource whose id a link has, but the business does not. */
export function Gone() {
  return (
    <EmptyState title="Nothing was found at this address">It may have been deleted or erased, or belong to another business.</EmptyState>
  );
}
