import type { Crm } from 'crm-connector'
import { useState } from 'react'
import { scopesText } from '../consent/scope-words.ts'
import { usePages } from '../data/pages.ts'
import { usePeople } from '../data/people-names.ts'
import { useWrite } from '../data/write.ts'
import { Badge } from '../parts/badge.tsx'
import { Button } from '../parts/button.tsx'
import { ConfirmDialog } from '../parts/confirm-dialog.tsx'
import { Listing } from '../parts/listing.tsx'
import { Page } from '../parts/page.tsx'
import { Empty } from '../parts/states.tsx'
import { TableCard } from '../parts/table-card.tsx'
import { Person, Time } from '../parts/values.tsx'
import { Link } from '../routing/link.tsx'
import { useRoute } from '../routing/router.ts'
import { useSession } from '../session/session.ts'
import { type CreatedKey, KeyForm } from './key-form.tsx'
import { ShownOnce } from './shown-once.tsx'
import './administration.css'

type Key = Awaited<ReturnType<Crm['keys']['getMany']>>['Records'][number]

const PAGE = 100

export function Keys() {
  const { crm, me, may, signOut } = useSession()
  const { nameOf } = usePeople()
  const { query } = useRoute()
  const user = query.get('user') ?? undefined
  const pages = usePages((Cursor, signal) => crm.keys.getMany({ Filters: user ? { UserID: user } : {}, Limit: PAGE, Cursor }, { signal }), [crm, user])
  const { rows, reload } = pages
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
      title="API keys"
      about={
        user ? (
          <>
            Keys of {nameOf(user)}. <Link to={['keys']}>All keys</Link>
          </>
        ) : (
          'Programs and people sign in with a key. A key is shown only once, when it is created.'
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
      <Listing
        pages={pages}
        empty={
          <Empty icon="keys" title="No API keys">
            A key is for one program or person.
          </Empty>
        }
      >
        <TableCard
          label="API keys"
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
              labelled: true,
              cell: ({ UserID }) => <Person id={UserID} />,
            },
            {
              title: 'Scopes',
              labelled: true,
              cell: ({ Scopes }) => (
                <span className="admin-scopes" title={Scopes.join(', ')}>
                  {scopesText(Scopes)}
                </span>
              ),
            },
            {
              title: 'Last used',
              labelled: true,
              cell: ({ LastUsedDate }) => (LastUsedDate ? <Time at={LastUsedDate} past /> : <span className="soft">never</span>),
            },
            {
              title: 'Created',
              labelled: true,
              cell: ({ CreatedDate }) => <Time at={CreatedDate} />,
            },
            {
              title: 'Expires',
              labelled: true,
              cell: (key) => {
                const end = endOf(key)
                return end ? <Time at={end} /> : <span className="soft">never</span>
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
      </Listing>
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
  if (Confirm === 'person') return <Badge tone="warn">Deletions wait for a person</Badge>
  return Confirm ? <Badge tone="warn">Deletions wait</Badge> : null
}
