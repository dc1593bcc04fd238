import { migration } from '@mgw/postgres';

// An installation may have had the trigger of send.former_aliases for long: its first row shows since when at the latest.
export const EarlierFormerAliases1796342701000 = migration(
  'EarlierFormerAliases1796342701000',
  'UPDATE send.former_aliases_since SET at = least(at, (SELECT min(until) FROM send.former_aliases));',
);
