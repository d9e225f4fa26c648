import type { Operation } from 'crm-connector/contract'
import { Code } from '../parts/code.tsx'
import { ConfirmDialog } from '../parts/confirm-dialog.tsx'
import type { Json } from './form/json.ts'

interface Props {
  readonly operation: Operation
  readonly input: Json
  readonly onClose: () => void
  readonly onGo: () => void
}

/** Asks before an operation that deletes. */
export function ConfirmRun({ operation, input, onClose, onGo }: Props) {
  return (
    <ConfirmDialog title={`${operation.name}?`} confirmLabel={operation.name} danger onConfirm={async () => onGo()} onClose={onClose}>
      <p>
        {operation.summary} {operation.verb === 'eraseRecord' ? 'This cannot be undone.' : 'A dry run shows what would happen.'}
      </p>
      <Code text={JSON.stringify(input, null, 2)} label="Input" />
    </ConfirmDialog>
  )
}
