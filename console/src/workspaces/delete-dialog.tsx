import { CrmError } from 'crm-connector'
import { useEffect, useState } from 'react'
import { useWrite } from '../data/write.ts'
import { ConfirmDialog } from '../parts/confirm-dialog.tsx'
import { Field } from '../parts/field.tsx'
import { useSession } from '../session/session.ts'
import type { Workspace } from './workspace.ts'

interface Props {
  readonly workspace: Workspace
  readonly onDone: () => void
  readonly onClose: () => void
}

/** Shows what will be erased, and asks for the name of the workspace: the service compares it. */
export function DeleteDialog({ workspace, onDone, onClose }: Props) {
  const { crm } = useSession()
  const write = useWrite()
  const { WorkspaceID, Name } = workspace
  const [typed, setTyped] = useState('')
  const [erases, setErases] = useState<{ readonly [type: string]: number }>()

  useEffect(() => {
    crm.workspaces.delete({ WorkspaceID, Name }, { dryRun: true }).then(
      ({ WouldWrite }) => setErases((WouldWrite as { Erases: { [type: string]: number } }).Erases),
      () => setErases(undefined),
    )
  }, [crm, WorkspaceID, Name])

  /** A delete of a workspace is planned first. The person has seen what it erases, and typed the name: that confirms the plan. */
  const remove = async () => {
    const call = (confirmation?: string) => crm.workspaces.delete({ WorkspaceID, Name: typed.trim() }, confirmation === undefined ? {} : { confirmation })
    try {
      return await call()
    } catch (refusal) {
      if (!(refusal instanceof CrmError) || !refusal.plan) throw refusal
      return call(refusal.plan.Token)
    }
  }

  const counts = Object.entries(erases ?? {}).map(([type, count]) => `${count.toLocaleString('en')} ${type}`)
  return (
    <ConfirmDialog
      title={`Delete ${Name}?`}
      confirmLabel="Delete"
      danger
      onClose={onClose}
      onConfirm={() => write(`${Name} is being erased.`, remove)}
      onDone={onDone}
    >
      <p className="admin-question">Everything in it is erased: its records, users, keys and journal. This cannot be undone. What is in a CRM stays there.</p>
      {counts.length > 0 && <p className="soft">{counts.join(' · ')}</p>}
      <Field label={`Type ${Name} to confirm`}>
        {(control) => <input {...control} value={typed} autoComplete="off" onChange={(event) => setTyped(event.target.value)} />}
      </Field>
    </ConfirmDialog>
  )
}
