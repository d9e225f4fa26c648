import { useState } from 'react'
import { Dialog } from '../parts/dialog.tsx'
import type { AuthorizationLink } from './authorize.ts'
import { ConnectForm } from './connect-form.tsx'
import type { Connection } from './connection-record.ts'
import { CrmChoice } from './crm-choice.tsx'
import type { ConnectableCrm } from './crms.ts'

interface Props {
  /** To be chosen first unless given. */
  readonly crm: ConnectableCrm | undefined
  readonly onDone: (connection: Connection, link?: AuthorizationLink) => void
  readonly onClose: () => void
}

/** Connects a CRM: which one, then how. */
export function ConnectDialog({ crm: given, onDone, onClose }: Props) {
  const [crm, setCrm] = useState(given)
  if (crm) return <ConnectForm crm={crm} onDone={onDone} onClose={onClose} />
  return (
    <Dialog title="Connect a CRM" onClose={onClose}>
      <CrmChoice onChoose={setCrm} />
    </Dialog>
  )
}
