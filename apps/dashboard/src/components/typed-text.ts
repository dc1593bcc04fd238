/** Properties of a text that somebody typed: its longest word breaks, so that it hides nothing beside it, and its letters give its direction. */
export const TYPED = { dir: 'auto', style: { overflowWrap: 'anywhere' } } as const;
