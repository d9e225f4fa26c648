import { useEffect, useRef, useState } from 'react'
import { useUndoBatch } from '../data/undo-batch.ts'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { RunningDialog } from '../parts/running-dialog.tsx'
import { RefusalLine } from '../parts/states.tsx'
import { numberText } from '../parts/values.tsx'
import { type BatchSummary, hasVerb } from './batch-summary.ts'

interface Props {
  readonly summary: BatchSummary
  readonly batchId: string
  readonly onClose: () => void
  readonly onDone: () => void
}

/** Asks, and undoes what is left of a batch. One that takes several calls shows how far it has come, and can be stopped between them. */
export function UndoBatchDialog({ summary, batchId, onClose, onDone }: Props) {
  const undoBatch = useUndoBatch()
  const [done, setDone] = useState<number>()
  const [error, setError] = useState<unknown>()
  const abort = useRef(new AbortController())
  useEffect(() => () => abort.current.abort(), [])
  const left = summary.changes - summary.undone
  const count = `${summary.more ? 'more than ' : ''}${numberText(left)} ${left === 1 ? 'change' : 'changes'}`
  const deletes = hasVerb(summary, 'created', 'restored')

  const start = async () => {
    setDone(0)
    setError(undefined)
    try {
      await undoBatch(batchId, `${count}.`, { signal: abort.current.signal, onProgress: setDone })
      onDone()
    } catch (refusal) {
      setError(refusal)
      setDone(undefined)
    }
  }
  if (done !== undefined)
    return (
      <RunningDialog
        title={`Undo ${count}`}
        label="Changes undone"
        text={`${numberText(done)} of ${count}`}
        done={done}
        total={left}
        onStop={() => abort.current.abort()}
      />
    )
  return (
    <Dialog
      title={`Undo ${count}?`}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind={deletes ? 'danger' : 'primary'} onClick={() => void start()}>
            {`Undo ${numberText(left)}${summary.more ? '+' : ''}`}
          </Button>
        </>
      }
    >
      <p>Each record becomes what it was before. {deletes && `Records that were ${hasVerb(summary, 'created') ? 'created' : 'restored'} are deleted.`}</p>
      <p>Those that have changed since are left as they are.</p>
      {error !== undefined && <RefusalLine error={error} />}
    </Dialog>
  )
}
