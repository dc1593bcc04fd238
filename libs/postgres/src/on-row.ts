/**
 * SQL of a condition on rows that are found by their key. A plain `state = 'running'` lets PostgreSQL use the partial index of all open rows.
 * Open rows are rare in the statistics, so that index looks cheapest, and each key would be compared with every open row.
 */
export function onRow(condition: string): string {
  return `CASE WHEN ${condition} THEN true ELSE false END`;
}
