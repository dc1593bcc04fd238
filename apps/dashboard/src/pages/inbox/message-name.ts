import { timeOfDay } from '../../components/clock-time';

/** How much of a message the names of its buttons have. */
const NAMED_LETTERS = 50;

/** Names a message in its buttons for screen readers: the beginning of its text, and its time. @param at an ISO time */
export const messageName = (text: string, at: string, zone: string): string =>
  `“${[...text].slice(0, NAMED_LETTERS).join('')}”, ${timeOfDay(at, zone)}`;
