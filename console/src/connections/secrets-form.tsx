import { useState } from 'react'
import { useWrite } from '../data/write.ts'
import { hasOtherFaults } from '../forms/faults.ts'
import { FormDialog } from '../forms/form-dialog.tsx'
import { useSession } from '../session/session.ts'
import { labelOfCrm } from './connection.ts'
import type { Connection } from './connection-record.ts'
import { crmOf, type Way, wayOf } from './crms.ts'
import { isComplete, SecretInputs, type Secrets, secretsFor } from './secret-inputs.tsx'
import { WayChoice } from './way-choice.tsx'

interface Props {
  readonly connection: Connection
  readonly onDone: () => void
  readonly onClose: () => void
}

/** Replaces the secrets of a connection as a whole. */
export function SecretsForm({ connection: given, onDone, onClose }: Props) {
  const { crm } = useSession()
  const write = useWrite()
  // The page follows the connection; the form stays with the version it was opened with.
  const [connection] = useState(given)
  const { ConnectionID, SignIn, Platform, Revision: IfRevision } = connection
  const { browser, ways } = crmOf(Platform)
  const isBrowser = SignIn === 'browser' && browser !== undefined
  const [way, setWay] = useState<Way>((isBrowser ? browser : wayOf(connection)) ?? (ways[0] as Way))
  const [secrets, setSecrets] = useState<Secrets>({})
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()

  async function save() {
    setBusy(true)
    setError(undefined)
    try {
      await write('Secrets replaced.', () => crm.connections.update({ ConnectionID, FieldsToUpdate: { Secrets: secretsFor(way, secrets) }, IfRevision }))
      onDone()
    } catch (refusal) {
      setError(refusal)
      setBusy(false)
    }
  }

  return (
    <FormDialog
      title="Replace secrets"
      save="Replace"
      busy={busy}
      unsaved={Object.values(secrets).some(Boolean)}
      disabled={!isComplete(way, secrets)}
      error={hasOtherFaults(error, ['Secrets']) ? error : undefined}
      onSave={() => void save()}
      onClose={onClose}
    >
      <p className="soft connect-about">
        {isBrowser
          ? `Those of the app. Access then has to be allowed again in the browser.`
          : `All of them, since none can be read here. They are tried at ${labelOfCrm(connection)} before they are kept.`}
      </p>
      {!isBrowser && <WayChoice ways={ways} chosen={way} onChoose={setWay} />}
      <SecretInputs way={way} secrets={secrets} error={error} onChange={setSecrets} />
    </FormDialog>
  )
}
