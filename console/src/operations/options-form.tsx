import { LIMITS, type Operation } from 'crm-connector/contract'
import { newKey } from '../data/write.ts'
import { Button } from '../parts/button.tsx'
import { Checkbox } from '../parts/checkbox.tsx'
import { Field } from '../parts/field.tsx'

export interface Options {
  readonly idempotencyKey: string
  readonly dryRun: boolean
}

export const NO_OPTIONS: Options = { idempotencyKey: '', dryRun: false }

interface Props {
  readonly operation: Operation
  readonly options: Options
  readonly onChange: (options: Options) => void
}

/** The options of writes; reads have none. */
export function OptionsForm({ operation, options, onChange }: Props) {
  if (operation.effect === 'read') return null
  return (
    <div className="operation-options">
      <Field label="Idempotency key" hint="Sent again with the same key, the write is done only once.">
        {(control) => (
          <div className="operation-key">
            <input
              {...control}
              className="mono"
              value={options.idempotencyKey}
              maxLength={LIMITS.idempotencyKey}
              spellCheck={false}
              autoComplete="off"
              onChange={(event) => onChange({ ...options, idempotencyKey: event.target.value })}
            />
            <Button onClick={() => onChange({ ...options, idempotencyKey: newKey() })}>Generate</Button>
          </div>
        )}
      </Field>
      <Checkbox
        label="Dry run"
        hint="Checks everything and shows the result, but writes nothing."
        checked={options.dryRun}
        onChange={(dryRun) => onChange({ ...options, dryRun })}
      />
    </div>
  )
}
