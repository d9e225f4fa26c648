import type { User } from 'crm-connector'
import { useState } from 'react'
import { usePages } from '../data/pages.ts'
import { usePeople } from '../data/people-names.ts'
import { Badge, type Tone } from '../parts/badge.tsx'
import { Button } from '../parts/button.tsx'
import { Listing } from '../parts/listing.tsx'
import { Page } from '../parts/page.tsx'
import { TableCard } from '../parts/table-card.tsx'
import { Person, Time } from '../parts/values.tsx'
import { Link } from '../routing/link.tsx'
import { useSession } from '../session/session.ts'
import { treeOf } from './tree.ts'
import { UserForm } from './user-form.tsx'
import './administration.css'

const PAGE = 500
const TONES: { readonly [role in User['Role']]: Tone } = { admin: 'accent', manager: 'warn', member: 'plain' }

export function Users() {
  const { crm, me, may, ownStore } = useSession()
  const { reload: reloadPeople } = usePeople()
  const pages = usePages((Cursor, signal) => crm.users.getMany({ Limit: PAGE, Cursor, OrderBy: 'Name' }, { signal }), [crm])
  const { rows, reload } = pages
  const [form, setForm] = useState<{ readonly user?: User }>()
  const done = () => {
    setForm(undefined)
    reload()
    reloadPeople()
  }

  return (
    <Page
      title="Users"
      about="People and programs that use the connector. Each is listed under their manager."
      acts={
        may('create_user') && (
          <Button kind="primary" icon="plus" onClick={() => setForm({})}>
            Add user
          </Button>
        )
      }
    >
      <Listing pages={pages}>
        <TableCard
          label="Users"
          rows={treeOf(rows)}
          keyOf={({ user }) => user.UserID}
          columns={[
            {
              title: 'User',
              cell: ({ user, depth }) => (
                <div
                  className={`admin-person${depth > 0 ? ' admin-below' : ''}`}
                  style={{ marginLeft: `${Math.max(0, Math.min(depth, 6) - 1) * 1.25 + (depth > 0 ? 0.4 : 0)}rem` }}
                >
                  <span className="admin-person-line">
                    <strong className={user.Active ? undefined : 'soft'}>{user.Name}</strong>
                    {user.UserID === me.UserID && <Badge tone="accent">You</Badge>}
                    {!user.Active && <Badge>Inactive</Badge>}
                  </span>
                  {user.Email && <small>{user.Email}</small>}
                </div>
              ),
            },
            { title: 'Role', labelled: true, cell: ({ user }) => <Badge tone={TONES[user.Role]}>{user.Role}</Badge> },
            {
              title: 'Reports to',
              labelled: true,
              cell: ({ user }) => (user.ManagerID ? <Person id={user.ManagerID} /> : <span className="soft">—</span>),
            },
            {
              title: 'Created',
              labelled: true,
              cell: ({ user }) => <Time at={user.CreatedDate} />,
            },
            {
              title: 'Actions',
              untitled: true,
              cell: ({ user }) => (
                <span className="admin-acts">
                  {may('get_many_leads') && (ownStore || user.PlatformUserID !== null) && (
                    <Link to={['leads']} query={{ where: JSON.stringify({ OwnerID: user.UserID }) }}>
                      Leads
                    </Link>
                  )}
                  {may('get_many_keys') && (
                    <Link to={['keys']} query={{ user: user.UserID }}>
                      Keys
                    </Link>
                  )}
                  {may('get_many_changes') && (
                    <Link to={['changes']} query={{ user: user.UserID }}>
                      Changes
                    </Link>
                  )}
                  {may('update_user') && (
                    <Button small icon="edit" aria-label={`Edit ${user.Name}`} onClick={() => setForm({ user })}>
                      Edit
                    </Button>
                  )}
                </span>
              ),
            },
          ]}
        />
      </Listing>
      {form && <UserForm user={form.user} onDone={done} onClose={() => setForm(undefined)} />}
    </Page>
  )
}
