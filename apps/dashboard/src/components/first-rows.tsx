import { Button, Stack } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { EmptyState } from './empty-state';
import { SearchField } from './search-field';

/** The rest of the page, such as the form that adds a row, stays within reach of a long list. */
const FIRST = 10;
/** Hundreds of rows with menus and buttons would take seconds to draw. */
const STEP = 50;

interface FirstRowsProps<T> {
  rows: T[];
  /** The text in which the search finds a row. */
  textOf: (row: T) => string;
  /** The name of the search field. */
  search: string;
  children: (shown: T[]) => ReactNode;
}

/** The first rows of a list that is loaded as a whole. A long one has a search field, and a button that shows more. */
export function FirstRows<T>({ rows, textOf, search, children }: FirstRowsProps<T>) {
  const [length, setLength] = useState(FIRST);
  const [text, setText] = useState('');
  if (rows.length <= FIRST) return children(rows);
  const found = rows.filter((row) => textOf(row).toLowerCase().includes(text.trim().toLowerCase()));
  return (
    <Stack gap="xs" mb="sm">
      <SearchField aria-label={search} placeholder={search} value={text} onChange={setText} />
      {found.length === 0 ? <EmptyState title="No results">Search by another word.</EmptyState> : children(found.slice(0, length))}
      {found.length > length && (
        <Button variant="default" size="sm" style={{ alignSelf: 'center' }} onClick={() => setLength(length + STEP)}>
          Show more
        </Button>
      )}
    </Stack>
  );
}
