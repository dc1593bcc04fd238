/** Makes a table without controls focusable, so that arrow keys scroll it on a narrow screen. */
export const scrollableByKeyboard = { viewportProps: { tabIndex: 0 } };
