import type { ApiKey } from '../../api/api-keys';
import { useZone } from '../../api/use-zone';
import { clockTime } from '../../components/clock-time';
import { Dimmed } from '../../components/dimmed';

/** The working key that replaced this one; the newest of several. */
export const heirOf = ({ id, sends_as }: ApiKey, working: ApiKey[]): ApiKey | undefined =>
  working.filter((other) => other.sends_as === sends_as && other.id > id).sort((a, b) => b.id - a.id)[0];

/** Distinguishes the keys of a rotation, because they have the same name. */
export function KeyRotation({ apiKey, working }: { apiKey: ApiKey; working: ApiKey[] }) {
  const zone = useZone();
  const { expires_at } = apiKey;
  if (!working.includes(apiKey)) return null;
  const heir = heirOf(apiKey, working);
  if (heir)
    return (
      <Dimmed size="xs">
        Replaced by …{heir.last_four}
        {expires_at !== null && `, works until ${clockTime(expires_at, zone)}`}
      </Dimmed>
    );
  const old = working.filter((key) => heirOf(key, working) === apiKey);
  return old.length > 0 && <Dimmed size="xs">New, replaces {old.map(({ last_four }) => `…${last_four}`).join(', ')}</Dimmed>;
}
