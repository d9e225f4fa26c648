import { useState } from 'react'
import { useWrite } from '../data/write.ts'
import { Button } from '../parts/button.tsx'
import { ConfirmDialog } from '../parts/confirm-dialog.tsx'
import { Card, Page } from '../parts/page.tsx'
import { Link } from '../routing/link.tsx'
import { go } from '../routing/router.ts'
import { useSession } from '../session/session.ts'
import { connectionName, labelOfCrm } from './connection.ts'
import { ConnectionFacts } from './connection-facts.tsx'
import { ConnectionNotice } from './connection-notice.tsx'
import type { Connection } from './connection-record.ts'
import { ConnectionTest } from './connection-test.tsx'
import { EditForm } from './edit-form.tsx'
import { MirrorCard } from './mirror-card.tsx'
import { SecretsForm } from './secrets-form.tsx'
import { UseDialog } from './use-dialog.tsx'

type DialogName = 'use' | 'edit' | 'secrets' | 'delete'

export function ConnectionView({ connection, reload }: { readonly connection: Connection; readonly reload: () => void }) {
  const { crm, may, refreshDescription } = useSession()
  const write = useWrite()
  const [dialog, setDialog] = useState<DialogName>()
  const { ConnectionID, Configured, InUse, UseWhenConnected } = connection
  const mayChange = may('update_connection') && !Configured
  const done = () => setDialog(undefined)
  const changed = () => {
    done()
    reload()
    void refreshDescription()
  }

  async function remove() {
    await write('Connection deleted.', () => crm.connections.delete({ ConnectionID }))
    void refreshDescription()
    go(['connections'])
  }

  return (
    <Page
      title={connectionName(connection)}
      about={<Link to={['connections']}>All connections</Link>}
      acts={
        <>
          {mayChange && (
            <>
              <Button icon={InUse || UseWhenConnected ? 'pause' : 'play'} onClick={() => setDialog('use')}>
                {InUse ? 'Stop using' : UseWhenConnected ? 'Do not use yet' : 'Use for this workspace'}
              </Button>
              <Button icon="edit" onClick={() => setDialog('edit')}>
                Edit
              </Button>
              <Button icon="keys" onClick={() => setDialog('secrets')}>
                Replace secrets
              </Button>
            </>
          )}
          {may('delete_connection') && !Configured && (
            <Button kind="danger" icon="delete" onClick={() => setDialog('delete')}>
              Delete
            </Button>
          )}
        </>
      }
    >
      <ConnectionNotice connection={connection} onReplace={mayChange ? () => setDialog('secrets') : undefined} />
      <Card>
        <ConnectionFacts connection={connection} />
      </Card>
      <MirrorCard connection={connection} mayChange={mayChange} onChanged={reload} />
      {may('test_connection') && <ConnectionTest id={ConnectionID} />}
      {dialog === 'use' && <UseDialog connection={connection} onDone={changed} onClose={done} />}
      {dialog === 'edit' && <EditForm connection={connection} onDone={changed} onClose={done} />}
      {dialog === 'secrets' && <SecretsForm connection={connection} onDone={changed} onClose={done} />}
      {dialog === 'delete' && (
        <ConfirmDialog title="Delete this connection?" confirmLabel="Delete" danger onClose={done} onConfirm={remove}>
          <p>
            Its secrets are deleted, and its tokens given back to {labelOfCrm(connection)}. Records in the account stay there
            {InUse ? ', and are no longer shown here' : ''}. This cannot be undone.
          </p>
        </ConfirmDialog>
      )}
    </Page>
  )
}
