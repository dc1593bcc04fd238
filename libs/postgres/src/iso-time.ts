/** SQL: a `timestamptz` as text, in the form of all times of a response (decision 37). JSON made by PostgreSQL would have another one. */
export const isoTime = (time: string) => `to_char(${time} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
