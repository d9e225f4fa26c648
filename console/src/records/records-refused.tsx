import type { CrmError } from 'crm-connector'
import { labelOfPath } from '../data/error-text.ts'
import { Button } from '../parts/button.tsx'
import { Refusal } from '../parts/states.tsx'
import type { RecordsView } from './use-records-view.ts'

/** In place of a table or board that the service refuses. */
export function RecordsRefused({ of, error, reload }: { readonly of: RecordsView; readonly error: CrmError; readonly reload: () => void }) {
  const { schema, view, filtered, show } = of
  // A condition that no filter of the page makes was typed into the address.
  const typed = error.errors?.find(({ code }) => code === 'operator')
  const words = { title: 'This view cannot be shown', ...(typed && { text: `${labelOfPath(typed.field)} cannot be read. Remove it, or choose it again.` }) }
  return (
    <div className="records-state">
      <Refusal error={error} {...(error.code === 'invalid_input' && words)} {...(error.retryable && { reload })} />
      {(filtered || view.order) && <Button onClick={() => show({ ...view, filters: {}, order: undefined })}>Show all {schema.many}</Button>}
    </div>
  )
}
