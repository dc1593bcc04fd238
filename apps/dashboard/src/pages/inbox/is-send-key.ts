import type { KeyboardEvent } from 'react';

/** True for Enter without Shift, unless it ends the composition of a word; Safari marks that one by its key code only. */
export const isSendKey = ({ key, shiftKey, keyCode, nativeEvent }: KeyboardEvent) =>
  key === 'Enter' && !shiftKey && !nativeEvent.isComposing && keyCode !== 229;
