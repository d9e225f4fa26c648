import type { Crm } from 'crm-connector'
import { useState } from 'react'
import { usePages } from '../data/pages.ts'
import { usePeople } from '../data/people.tsx'
import { useWrite } from '../data/write.ts'
import { Badge } from '../parts/badge.tsx'
import { Button } from '../parts/button.tsx'
import { ConfirmDialog } from '../parts/confirm-dialog.tsx'
import { Card, Page } from '../parts/page.tsx'
import { Empty, Refusal, Skeleton } from '../parts/states.tsx'
import { Table } from '../parts/table.tsx'
import { Person, Time } from '../parts/values.tsx'
import { Link } from '../routing/link.tsx'
import { useRoute } from '../routing/router.ts'
import { useSession } from '../session/session.ts'
import { type CreatedKey, KeyForm } from './key-form.tsx'
import { Labelled } from './labelled.tsx'
import { ShownOnce } from './shown-once.tsx'
import './administration.css'

type Key = Awaited<ReturnType<Crm['keys']['getMany']>>['Records'][number]

const PAGE = 100

/** The keys of the users one may see. */
export function Keys() {
  const { crm, me, may, signOut } = useSession()
  const { nameOf } = usePeople()
  const { query } = useRoute()
  const user = query.get('user') ?? undefined
  const { rows, loading, error, more, next, reload } = usePages(
    (Cursor, signal) => crm.keys.getMany({ Filters: user ? { UserID: user } : {}, Limit: PAGE, Cursor }, { signal }),
    [crm, user],
  )
  const write = useWrite()
  const [creating, setCreating] = useState(false)
  const [created, setCreated] = useState<CreatedKey>()
  const [revoking, setRevoking] = useState<Key>()

  async function revoke(key: Key) {
    await write(`The key ${keyName(key)} was revoked.`, () => crm.keys.revoke({ KeyID: key.KeyID }))
    if (key.KeyID === me.KeyID) signOut()
    else reload()
  }

  return (
    <Page
      title="Keys"
      about={
        user ? (
          <>
            Those of {nameOf(user)}. <Link to={['keys']}>All keys</Link>
          </>
        ) : (
          'What programs and people show to be known. Only a digest of each is kept.'
        )
      }
      acts={
        may('create_key') && (
          <Button kind="primary" icon="plus" onClick={() => setCreating(true)}>
            New key
          </Button>
        )
      }
    >
      {error && rows.length === 0 ? (
        <Refusal error={error} reload={reload} />
      ) : rows.length === 0 ? (
        loading ? (
          <Skeleton height="16rem" />
        ) : (
          <Empty icon="keys" title="There are no keys here">
            Make one, and give it to the program or person it is for.
          </Empty>
        )
      ) : (
        <div className="admin-table">
          <Card>
            <Table
              label="Keys"
              rows={rows}
              keyOf={({ KeyID }) => KeyID}
              columns={[
                {
                  title: 'Key',
                  cell: (key) => (
                    <span className="admin-name">
                      <strong className={key.RevokedDate ? 'soft' : undefined}>{key.Label ?? `…${key.KeyID.slice(-6)}`}</strong>
                      {key.KeyID === me.KeyID && <Badge tone="accent">in use now</Badge>}
                      <KeyState of={key} />
                    </span>
                  ),
                },
                {
                  title: 'User',
                  cell: ({ UserID }) => (
                    <Labelled label="User">
                      <Person id={UserID} />
                    </Labelled>
                  ),
                },
                { title: 'Scopes', cell: ({ Scopes }) => <span className="admin-scopes">{Scopes.join(', ')}</span> },
                {
                  title: 'Made',
                  cell: ({ CreatedDate }) => (
                    <Labelled label="Made">
                      <Time at={CreatedDate} />
                    </Labelled>
                  ),
                },
                {
                  title: 'Expires',
                  cell: ({ ExpiresDate }) => (
                    <Labelled label="Expires">{ExpiresDate ? <Time at={ExpiresDate} /> : <span className="soft">never</span>}</Labelled>
                  ),
                },
                {
                  title: 'What can be done',
                  untitled: true,
                  cell: (key) => (
                    <span className="admin-acts">
                      {may('get_many_changes') && (
                        <Link to={['changes']} query={{ key: key.KeyID }}>
                          Changes
                        </Link>
                      )}
                      {may('revoke_key') && !key.RevokedDate && (
                        <Button small kind="danger" aria-label={`Revoke ${keyName(key)}`} onClick={() => setRevoking(key)}>
                          Revoke
                        </Button>
                      )}
                    </span>
                  ),
                },
              ]}
            />
            {more && (
              <Button busy={loading} onClick={next}>
                More
              </Button>
            )}
          </Card>
        </div>
      )}
      {creating && (
        <KeyForm
          userId={user}
          onClose={() => setCreating(false)}
          onCreated={(key) => {
            setCreating(false)
            setCreated(key)
            reload()
          }}
        />
      )}
      {created && (
        <ShownOnce
          title="Your new key"
          label="Key"
          secret={created.Key}
          about="Send it as Authorization: Bearer, or give it to crm, the SDK or n8n."
          onClose={() => setCreated(undefined)}
        />
      )}
      {revoking && (
        <ConfirmDialog title="Revoke this key?" confirmLabel="Revoke" danger onClose={() => setRevoking(undefined)} onConfirm={() => revoke(revoking)}>
          <p className="admin-question">
            Whoever uses {keyName(revoking)} is refused from now on, for good.
            {revoking.KeyID === me.KeyID && ' It is the key you are signed in with: you will be signed out.'}
          </p>
        </ConfirmDialog>
      )}
    </Page>
  )
}

const keyName = ({ Label, KeyID }: Key) => (Label ? `‘${Label}’` : `…${KeyID.slice(-6)}`)

function KeyState({ of: { RevokedDate, ExpiresDate, Confirm } }: { readonly of: Key }) {
  if (RevokedDate) return <Badge tone="bad">revoked</Badge>
  if (ExpiresDate && Date.parse(ExpiresDate) <= Date.now()) return <Badge tone="plain">expired</Badge>
  return Confirm ? <Badge tone="warn">deletes wait</Badge> : null
}
