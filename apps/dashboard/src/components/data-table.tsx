import { Table, type TableThProps } from '@mantine/core';
import type { ReactNode } from 'react';
import './data-table.css';

interface DataTableProps {
  /** A narrower screen scrolls the table sideways, in pixels. */
  minWidth: number;
  /** Titles, or the properties of a column's head; its `abbr` names the cells of a card. */
  columns?: (string | TableThProps)[];
  /** Whether a phone scrolls the table too: a table of numbers would become a long list of cards. */
  isOfNumbers?: boolean;
  /** The rows. */
  children: ReactNode;
}

/** A table that a narrow screen scrolls, by arrow keys too: its viewport takes the focus. On a phone each row is a card. */
export function DataTable({ minWidth, columns = [], isOfNumbers = false, children }: DataTableProps) {
  const heads = columns.map((column) => (typeof column === 'string' ? { children: column } : column));
  const names = heads.flatMap(({ children, abbr: name = children }, i) =>
    typeof name === 'string' ? [[`--column-${i + 1}`, JSON.stringify(name)]] : [],
  );
  return (
    <Table.ScrollContainer
      minWidth={minWidth}
      // The scrollbar shows that there are more columns, even before the pointer touches the table.
      scrollAreaProps={{ type: 'auto', viewportProps: { tabIndex: 0 } }}
      {...(!isOfNumbers && { className: 'data-table-cards' })}
    >
      <Table style={Object.fromEntries(names) as object}>
        {heads.length > 0 && (
          <Table.Thead>
            <Table.Tr>
              {heads.map((head, i) => (
                <Table.Th key={i} {...head} />
              ))}
            </Table.Tr>
          </Table.Thead>
        )}
        <Table.Tbody>{children}</Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
