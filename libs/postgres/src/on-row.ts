/**
 * A condition of SQL on rows that are found by their key. Written as it is, `state = 'running'` would offer the partial index of all that is
 * open as a way to the row, and statistics that know next to nothing open make it look like the cheapest: each key would then be compared
 * with everything that is open.
 */
export function onRow(condition: string): string {
  return `CASE WHEN ${condition} THEN true ELSE false END`;
}
