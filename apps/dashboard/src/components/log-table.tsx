import { Box, UnstyledButton } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useEffect, type ReactNode } from 'react';
import { useWindowRows } from './use-window-rows';
import './log-table.css';

const HEIGHT = 49;
/** A row is a card of three lines on a phone. */
const CARD_HEIGHT = 96;
/** Rows before the end of the list at which the next page loads. */
const AHEAD = 30;

interface Column<R> {
  name: string;
  /** Places the cell: the page's styles have the grid. */
  className: string;
  cell: (row: R) => ReactNode;
  /** The whole text of a cell that may be cut. */
  title?: (row: R) => string | undefined;
  /** Whether this cell is the row's button. */
  isButton?: boolean;
}

interface LogTableProps<R> {
  label: string;
  /** Names the page's grid. */
  className: string;
  columns: Column<R>[];
  rows: R[];
  idOf: (row: R) => string;
  opened: string | undefined;
  onOpen: (row: R) => void;
  /** Loads the next page. */
  onEnd?: () => void;
}

/** A long log, of which only the rows on the screen are drawn. Rows have one height, so that a new one moves the others by whole rows. */
export function LogTable<R>({ label, className, columns, rows, idOf, opened, onOpen, onEnd }: LogTableProps<R>) {
  const isPhone = useMediaQuery('(max-width: 48em)') ?? false;
  const rowHeight = isPhone ? CARD_HEIGHT : HEIGHT;
  const { list, rows: visible, height } = useWindowRows(rows.length, rowHeight);
  const isNearEnd = (visible.at(-1)?.index ?? 0) >= rows.length - AHEAD;
  useEffect(() => {
    if (isNearEnd) onEnd?.();
  }, [isNearEnd, rows.length]);
  return (
    <div role="table" aria-label={label} aria-rowcount={rows.length + 1} className={className}>
      <div role="rowgroup" className="log-head">
        <div role="row" className="log-row">
          {columns.map(({ name }) => (
            <div key={name} role="columnheader">
              {name}
            </div>
          ))}
        </div>
      </div>
      <div role="rowgroup" ref={list} style={{ position: 'relative', height }}>
        {visible.map(({ index, top }) => {
          const row = rows[index];
          return (
            row !== undefined && (
              <Box
                key={idOf(row)}
                role="row"
                aria-rowindex={index + 2}
                className="log-row log-line"
                data-opened={idOf(row) === opened || undefined}
                style={{ transform: `translateY(${top}px)`, height: rowHeight }}
                onClick={() => onOpen(row)}
              >
                {columns.map(({ name, className, cell, title, isButton }) => (
                  <div key={name} role="cell" className={className} title={title?.(row)}>
                    {isButton ? (
                      <UnstyledButton fz="sm" w="100%">
                        {cell(row)}
                      </UnstyledButton>
                    ) : (
                      cell(row)
                    )}
                  </div>
                ))}
              </Box>
            )
          );
        })}
      </div>
    </div>
  );
}
