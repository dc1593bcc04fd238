import { StateBadge } from '../../components/state-badge';

/** A status of HTTP: red if the request failed on our side, yellow if it was refused. */
export function StatusCode({ status }: { status: number }) {
  return <StateBadge of={status >= 500 ? 'failed' : 'skipped'} label={String(status)} />;
}
