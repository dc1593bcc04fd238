import { Table, type TableThProps } from '@mantine/core';
import type { ReactNode } from 'react';

interface DataTableProps {
  /** A narrower screen scrolls the table sideways, in pixels. */
  minWidth: number;
  /** Titles, or the properties of a column's head. */
  columns?: (string | TableThProps)[];
  /** The rows. */
  children: ReactNode;
}

/** A table that a narrow screen scrolls, also by arrow keys: its viewport takes the focus. */
export function DataTable({ minWidth, columns, children }: DataTableProps) {
  return (
    <Table.ScrollContainer minWidth={minWidth} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
      <Table>
        {columns && (
          <Table.Thead>
            <Table.Tr>
              {columns.map((column, i) => (
                <Table.Th key={i} {...(typeof column === 'string' ? { children: column } : column)} />
              ))}
            </Table.Tr>
          </Table.Thead>
        )}
        <Table.Tbody>{children}</Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
