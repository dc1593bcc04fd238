/** A problem that the person can solve, such as a file with a wrong heading. The message is shown as it is. */
export class InputError extends Error {}
