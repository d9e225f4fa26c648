import { useState } from 'react'
import '../administration/administration.css'
import { ShownOnce } from '../administration/shown-once.tsx'
import { useAnswer } from '../data/answer.ts'
import { messageOf } from '../data/error-text.ts'
import { usePages } from '../data/pages.ts'
import { useWrite } from '../data/write.ts'
import '../filters/filter-bar.css'
import '../records/records.css'
import { SearchBox } from '../filters/search-box.tsx'
import { Badge } from '../parts/badge.tsx'
import { Button } from '../parts/button.tsx'
import { Listing } from '../parts/listing.tsx'
import { Page } from '../parts/page.tsx'
import { Empty } from '../parts/states.tsx'
import { TableCard } from '../parts/table-card.tsx'
import { useToast } from '../parts/toasts.tsx'
import { Time } from '../parts/values.tsx'
import { useSession } from '../session/session.ts'
import { dropWorkspace, isTabWorkspace } from '../session/tab-workspaces.ts'
import { DeleteDialog } from './delete-dialog.tsx'
import { demoWorkspaces, useOpenDemo } from './demo.ts'
import { type CreatedWorkspace, LIMIT_LABELS, LIMIT_NAMES, type Workspace } from './workspace.ts'
import { WorkspaceForm } from './workspace-form.tsx'

const PAGE = 100

/** The dialog that is open, and the workspace it is about. */
type Open = { readonly dialog: 'form' | 'delete'; readonly workspace?: Workspace }

export function Workspaces() {
  const { crm, get, me, may } = useSession()
  const [text, setText] = useState('')
  const pages = usePages(
    (Cursor, signal) => crm.workspaces.getMany({ ...(text && { Filters: { Name: { contains: text } } }), OrderBy: 'Name', Limit: PAGE, Cursor }, { signal }),
    [crm, text],
  )
  const { rows, reload } = pages
  const demos = useAnswer((signal) => demoWorkspaces(get, signal), [get, rows])
  const openDemo = useOpenDemo()
  const toast = useToast()
  const write = useWrite()
  const [open, setOpen] = useState<Open>()
  const [created, setCreated] = useState<CreatedWorkspace>()
  const done = () => {
    setOpen(undefined)
    reload()
  }

  const deleted = () => {
    if (open?.workspace) dropWorkspace(open.workspace.Name)
    done()
  }

  async function setPaused({ WorkspaceID, Name, State }: Workspace) {
    if (State === 'paused') await write(`${Name} resumed.`, () => crm.workspaces.resume({ WorkspaceID }))
    else await write(`${Name} paused.`, () => crm.workspaces.pause({ WorkspaceID }))
    reload()
  }

  const opens = ({ Name, State }: Workspace) => State === 'active' && (demos.answer?.includes(Name) || isTabWorkspace(Name))
  const show = ({ Name }: Workspace) => openDemo(Name).catch((error: unknown) => toast({ text: `${Name} not opened: ${messageOf(error)}`, bad: true }))

  const acts = (workspace: Workspace) =>
    workspace.Name !== me.Workspace &&
    workspace.State !== 'deleting' && (
      <span className="admin-acts">
        {opens(workspace) && (
          <Button small aria-label={`Open ${workspace.Name}`} onClick={() => void show(workspace)}>
            Open
          </Button>
        )}
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
      <Listing
        pages={pages}
        empty={
          <Empty icon="workspaces" title="No workspaces match" act={<Button onClick={() => setText('')}>Show all workspaces</Button>}>
            No workspace has this name.
          </Empty>
        }
      >
        <TableCard
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
              labelled: true,
              cell: (workspace) => limitsOf(workspace) || <span className="soft">none</span>,
            },
            {
              title: 'Created',
              labelled: true,
              cell: ({ CreatedDate }) => <Time at={CreatedDate} />,
            },
            { title: 'Actions', untitled: true, cell: acts },
          ]}
        />
      </Listing>
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
      {open?.dialog === 'delete' && open.workspace && <DeleteDialog workspace={open.workspace} onDone={deleted} onClose={() => setOpen(undefined)} />}
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
