// jsdom has no layout, so the styles that a page imports have no effect there.
