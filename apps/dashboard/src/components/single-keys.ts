/** The entry of this browser that says whether keys without Ctrl are shortcuts. */
const STORED = 'single-keys';

/** A person who speaks to the computer, or presses keys by accident, can switch them off (WCAG 2.1.4, decision 778). */
export const areSingleKeysOn = (): boolean => localStorage.getItem(STORED) !== 'off';

export const switchSingleKeys = (isOn: boolean): void => localStorage.setItem(STORED, isOn ? 'on' : 'off');
