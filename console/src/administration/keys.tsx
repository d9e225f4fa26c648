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
    await write(`Key ${keyName(key)} revoked.`, () => crm.keys.revoke({ KeyID: key.KeyID }))
    if (key.KeyID === me.KeyID) signOut()
    else reload()
  }

  return (
    <Page
      title="Keys"
      about={
        user ? (
          <>
            Keys of {nameOf(user)}. <Link to={['keys']}>All keys</Link>
          </>
        ) : (
          'Programs and people sign in with a key. Only its digest is stored.'
        )
      }
      acts={
        may('create_key') && (
          <Button kind="primary" icon="plus" onClick={() => setCreating(true)}>
            Create key
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
          <Empty icon="keys" title="No keys">
            Create one and give it to the program or person it is for.
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
                      {key.KeyID === me.KeyID && <Badge tone="accent">In use</Badge>}
                      {key.Kind && <Badge>{key.Kind === 'token' ? 'Token' : 'Session'}</Badge>}
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
                  title: 'Created',
                  cell: ({ CreatedDate }) => (
                    <Labelled label="Created">
                      <Time at={CreatedDate} />
                    </Labelled>
                  ),
                },
                {
                  title: 'Expires',
                  cell: (key) => {
                    const end = endOf(key)
                    return <Labelled label="Expires">{end ? <Time at={end} /> : <span className="soft">never</span>}</Labelled>
                  },
                },
                {
                  title: 'Actions',
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
                Show more
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
          about="Send it in the header “Authorization: Bearer …”, or give it to the command line, the SDK or n8n."
          onClose={() => setCreated(undefined)}
        />
      )}
      {revoking && (
        <ConfirmDialog title="Revoke this key?" confirmLabel="Revoke" danger onClose={() => setRevoking(undefined)} onConfirm={() => revoke(revoking)}>
          <p className="admin-question">
            Every call with {keyName(revoking)} will be refused. This cannot be undone.
            {revoking.KeyID === me.KeyID && ' You are signed in with this key and will be signed out.'}
          </p>
        </ConfirmDialog>
      )}
    </Page>
  )
}

const keyName = ({ Label, KeyID }: Key) => (Label ? `‘${Label}’` : `…${KeyID.slice(-6)}`)

/** When a key ends: a token that its client renews goes on until it can no longer be renewed. */
const endOf = ({ ExpiresDate, RenewableUntil }: Key) => RenewableUntil ?? ExpiresDate

function KeyState({ of: key }: { readonly of: Key }) {
  const { RevokedDate, Confirm } = key
  const end = endOf(key)
  if (RevokedDate) return <Badge tone="bad">Revoked</Badge>
  if (end && Date.parse(end) <= Date.now()) return <Badge tone="plain">Expired</Badge>
  return Confirm ? <Badge tone="warn">Deletes wait</Badge> : null
}
