import { Button } from '../parts/button.tsx'
import { Empty } from '../parts/states.tsx'
import type { RecordsView } from './use-records-view.ts'

/** In place of a table or board without any records. */
export function NoRecords({ of: { schema, view, filtered, show } }: { readonly of: RecordsView }) {
  return (
    <div className="records-state">
      {filtered ? (
        <Empty icon="search" title={`No ${schema.many} match`} act={<Button onClick={() => show({ ...view, filters: {} })}>Show all {schema.many}</Button>}>
          Remove a filter or search for something else.
        </Empty>
      ) : (
        <Empty icon="table" title={`No ${schema.many} yet`}>
          {schema.summary}
        </Empty>
      )}
    </div>
  )
}
