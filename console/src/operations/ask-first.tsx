import type { Operation } from 'crm-connector/contract'
import { Button } from '../parts/button.tsx'
import { Code } from '../parts/code.tsx'
import { Dialog } from '../parts/dialog.tsx'
import type { Json } from './form/json.ts'

interface Props {
  readonly operation: Operation
  readonly input: Json
  readonly onClose: () => void
  readonly onGo: () => void
}

/** What takes something away is asked about first. */
export function AskFirst({ operation, input, onClose, onGo }: Props) {
  return (
    <Dialog
      title={`${operation.name}?`}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="danger" icon="play" onClick={onGo}>
            {operation.name}
          </Button>
        </>
      }
    >
      <p className="operation-question">
        {operation.summary} {operation.verb === 'eraseRecord' ? 'This cannot be undone.' : 'A dry run shows first what would happen.'}
      </p>
      <Code text={JSON.stringify(input, null, 2)} label="The input" />
    </Dialog>
  )
}
