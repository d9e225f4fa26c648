import type { CrmError } from 'crm-connector'
import { Button } from '../parts/button.tsx'
import { Refusal } from '../parts/states.tsx'
import type { RecordsView } from './use-records-view.ts'

/** In place of a table or board that the service refuses. */
export function RecordsRefused({ of, error, reload }: { readonly of: RecordsView; readonly error: CrmError; readonly reload: () => void }) {
  const { schema, view, filtered, show } = of
  return (
    <div className="records-state">
      <Refusal error={error} {...(error.code === 'invalid_input' && { title: 'This view cannot be shown' })} {...(error.retryable && { reload })} />
      {(filtered || view.order) && <Button onClick={() => show({ ...view, filters: {}, order: undefined })}>Show all {schema.many}</Button>}
    </div>
  )
}
