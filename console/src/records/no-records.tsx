import { Button } from '../parts/button.tsx'
import { Empty } from '../parts/states.tsx'
import { go, useRoute } from '../routing/router.ts'
import { creation } from './records-frame.tsx'
import type { RecordsView } from './use-records-view.ts'

/** In place of a table or board without any records. */
export function NoRecords({ of: { schema, view, filtered, show } }: { readonly of: RecordsView }) {
  const { query } = useRoute()
  return (
    <div className="records-state">
      {filtered ? (
        <Empty icon="search" title={`No ${schema.many} match`} act={<Button onClick={() => show({ ...view, filters: {} })}>Show all {schema.many}</Button>}>
          Remove a filter or search for something else.
        </Empty>
      ) : (
        <Empty
          icon="table"
          title={`No ${schema.many} yet`}
          act={
            creation(schema) && (
              <Button icon="plus" onClick={() => go(schema.path, { ...Object.fromEntries(query), new: '' }, { replace: true })}>
                Create the first {schema.one}
              </Button>
            )
          }
        >
          {schema.summary}
        </Empty>
      )}
    </div>
  )
}
