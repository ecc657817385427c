/** Columns that line up, in one pass, whatever the colours. */

export interface Column<Row> {
  readonly head: string;
  readonly of: (row: Row) => string;
  /** @default 'left' */
  readonly align?: 'left' | 'right';
  /** Applied after the cell was padded. */
  readonly paint?: (cell: string, row: Row) => string;
}

const GAP = '  ';

/** The head and one line a row. Columns without any text are left out; the last one is not padded. */
export function formatTable<Row>(rows: readonly Row[], columns: readonly Column<Row>[], paintHead: (text: string) => string): string {
  const used = columns
    .map((column) => ({ column, cells: rows.map((row) => column.of(row)) }))
    .filter(({ cells }) => cells.some((cell) => cell !== ''));
  const sized = used.map(({ column, cells }, index) => ({ column, cells, width: widthOf(column, cells, index === used.length - 1) }));
  const head = sized.map(({ column, width }) => pad(column.head, width, column.align)).join(GAP);
  const lines = rows.map((row, index) =>
    sized.map(({ column, cells, width }) => cellOf(column, row, pad(cells[index] ?? '', width, column.align))).join(GAP),
  );
  return [paintHead(head.trimEnd()), ...lines.map((line) => line.trimEnd())].join('\n');
}

function widthOf<Row>(column: Column<Row>, cells: readonly string[], isLast: boolean): number {
  if (isLast && column.align !== 'right') return 0;
  return Math.max(column.head.length, ...cells.map((cell) => [...cell].length));
}

const cellOf = <Row>(column: Column<Row>, row: Row, cell: string): string => column.paint?.(cell, row) ?? cell;

function pad(text: string, width: number, align: Column<unknown>['align'] = 'left'): string {
  const missing = ' '.repeat(Math.max(0, width - [...text].length));
  return align === 'right' ? missing + text : text + missing;
}
