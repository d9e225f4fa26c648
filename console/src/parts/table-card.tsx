import { Card } from './page.tsx'
import { Table, type TableProps } from './table.tsx'

/** The table of a page that lists something. */
export function TableCard<T>(table: Omit<TableProps<T>, 'folds'>) {
  return (
    <Card>
      <Table {...table} folds />
    </Card>
  )
}
