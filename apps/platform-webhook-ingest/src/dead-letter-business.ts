/** SQL: a dead letter here is an update of a callback, for the businesses whose app secret signed it. */
export const DEAD_LETTER_BUSINESS = `nullif(array_to_string(businesses, ','), '')`;
