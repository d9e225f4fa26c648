import { useState } from 'react'
import '../administration/administration.css'
import { Labelled } from '../administration/labelled.tsx'
import { ShownOnce } from '../administration/shown-once.tsx'
import { usePages } from '../data/pages.ts'
import { useWrite } from '../data/write.ts'
import '../filters/filter-bar.css'
import '../records/records.css'
import { SearchBox } from '../filters/search-box.tsx'
import { Badge } from '../parts/badge.tsx'
import { Button } from '../parts/button.tsx'
import { Card, Page } from '../parts/page.tsx'
import { Empty, Refusal, Skeleton } from '../parts/states.tsx'
import { Table } from '../parts/table.tsx'
import { Time } from '../parts/values.tsx'
import { useSession } from '../session/session.ts'
import { DeleteDialog } from './delete-dialog.tsx'
import { type CreatedWorkspace, LIMIT_LABELS, LIMIT_NAMES, type Workspace } from './workspace.ts'
import { WorkspaceForm } from './workspace-form.tsx'

const PAGE = 100

/** The dialog that is open, and the workspace it is about. */
type Open = { readonly dialog: 'form' | 'delete'; readonly workspace?: Workspace }

export function Workspaces() {
  const { crm, me, may } = useSession()
  const [text, setText] = useState('')
  const { rows, loading, error, more, next, reload } = usePages(
    (Cursor, signal) => crm.workspaces.getMany({ ...(text && { Filters: { Name: { contains: text } } }), OrderBy: 'Name', Limit: PAGE, Cursor }, { signal }),
    [crm, text],
  )
  const write = useWrite()
  const [open, setOpen] = useState<Open>()
  const [created, setCreated] = useState<CreatedWorkspace>()
  const done = () => {
    setOpen(undefined)
    reload()
  }

  async function setPaused({ WorkspaceID, Name, State }: Workspace) {
    if (State === 'paused') await write(`${Name} resumed.`, () => crm.workspaces.resume({ WorkspaceID }))
    else await write(`${Name} paused.`, () => crm.workspaces.pause({ WorkspaceID }))
    reload()
  }

  const acts = (workspace: Workspace) =>
    workspace.Name !== me.Workspace &&
    workspace.State !== 'deleting' && (
      <span className="admin-acts">
        {may('update_workspace') && (
          <Button small aria-label={`Limits of ${workspace.Name}`} onClick={() => setOpen({ dialog: 'form', workspace })}>
            Limits
          </Button>
        )}
        {may('pause_workspace') && (
          <Button small aria-label={`${workspace.State === 'paused' ? 'Resume' : 'Pause'} ${workspace.Name}`} onClick={() => void setPaused(workspace)}>
            {workspace.State === 'paused' ? 'Resume' : 'Pause'}
          </Button>
        )}
        {may('delete_workspace') && (
          <Button small kind="danger" aria-label={`Delete ${workspace.Name}`} onClick={() => setOpen({ dialog: 'delete', workspace })}>
            Delete
          </Button>
        )}
      </span>
    )

  return (
    <Page
      title="Workspaces"
      about="Each keeps the records, users and keys of one customer apart from all others."
      acts={
        may('create_workspace') && (
          <Button kind="primary" icon="plus" onClick={() => setOpen({ dialog: 'form' })}>
            Create workspace
          </Button>
        )
      }
    >
      <SearchBox many="workspaces" fields={[]} text={text} onSearch={(_, typed) => setText(typed.trim())} />
      {error && rows.length === 0 ? (
        <Refusal error={error} reload={reload} />
      ) : rows.length === 0 ? (
        loading ? (
          <Skeleton height="16rem" />
        ) : (
          <Empty icon="workspaces" title="No workspaces">
            None has this name.
          </Empty>
        )
      ) : (
        <div className="admin-table">
          <Card>
            <Table
              label="Workspaces"
              rows={rows}
              keyOf={({ WorkspaceID }) => WorkspaceID}
              columns={[
                {
                  title: 'Workspace',
                  cell: ({ Name, State }) => (
                    <span className="admin-name">
                      <strong className={State === 'active' ? undefined : 'soft'}>{Name}</strong>
                      {Name === me.Workspace && <Badge tone="accent">Yours</Badge>}
                      {State === 'paused' && <Badge tone="warn">Paused</Badge>}
                      {State === 'deleting' && <Badge tone="bad">Being deleted</Badge>}
                    </span>
                  ),
                },
                {
                  title: 'Limits',
                  cell: (workspace) => <Labelled label="Limits">{limitsOf(workspace) || <span className="soft">none</span>}</Labelled>,
                },
                {
                  title: 'Created',
                  cell: ({ CreatedDate }) => (
                    <Labelled label="Created">
                      <Time at={CreatedDate} />
                    </Labelled>
                  ),
                },
                { title: 'Actions', untitled: true, cell: acts },
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
      {open?.dialog === 'form' && (
        <WorkspaceForm
          workspace={open.workspace}
          onSaved={done}
          onCreated={(made) => {
            setCreated(made)
            done()
          }}
          onClose={() => setOpen(undefined)}
        />
      )}
      {open?.dialog === 'delete' && open.workspace && <DeleteDialog workspace={open.workspace} onDone={done} onClose={() => setOpen(undefined)} />}
      {created && (
        <ShownOnce
          title={`The key of ${created.Name}`}
          label="Key"
          secret={created.Key}
          about="Give it to the first admin of the workspace, who creates further users and keys with it."
          onClose={() => setCreated(undefined)}
        />
      )}
    </Page>
  )
}

const limitsOf = (workspace: Workspace) =>
  LIMIT_NAMES.flatMap((name) => (workspace[name] === null ? [] : [`${workspace[name]?.toLocaleString('en')} ${LIMIT_LABELS[name].toLowerCase()}`])).join(' · ')
