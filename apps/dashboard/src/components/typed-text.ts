/**
 * Properties of a text that somebody typed: its longest word breaks, so that it hides nothing beside it, and its letters give its direction.
 * It begins at the left like the texts around it; a paragraph may override that by `ta`.
 */
export const TYPED = { dir: 'auto', ta: 'left', style: { overflowWrap: 'anywhere' } } as const;
