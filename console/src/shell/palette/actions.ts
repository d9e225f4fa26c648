import { OPERATIONS, type Operation, recordType } from 'crm-connector/contract'
import { RECORD_PAGES } from '../../journal/change-text.ts'
import { pageAt } from '../../routing/pages.ts'
import { go, type Route } from '../../routing/router.ts'
import type { Session } from '../../session/session.ts'
import type { Command } from './command.ts'

interface Table {
  readonly path: readonly string[]
  readonly one: string
  readonly many: string
  readonly icon: Command['icon']
}

const ALL: readonly Operation[] = OPERATIONS

/** The tables that the key may add records to. */
function tablesFor({ description, may }: Session): Table[] {
  const mayCreate = (type: string) => ALL.some(({ id, record, verb }) => record.name === type && (verb === 'create' || verb === 'createCustom') && may(id))
  const types = description.RecordTypes.filter(({ Name }) => Object.hasOwn(RECORD_PAGES, Name) && mayCreate(Name))
  return types.flatMap(({ Name }): Table[] => {
    const { plural } = recordType(Name)
    const icon = pageAt(RECORD_PAGES[Name] ?? '')?.icon ?? 'plus'
    if (Name !== 'CustomObject') return [{ path: [plural], one: Name.toLowerCase(), many: plural, icon }]
    return description.CustomObjects.map(({ ObjectName }) => ({ path: ['objects', ObjectName], one: ObjectName, many: `${ObjectName} records`, icon }))
  })
}

/** What can be begun from any page. On the page of the table its view stays. */
export function actionsFor(session: Session, route: Route, goToWorkspace: (name: string) => void): Command[] {
  const { me, workspaces } = session
  const tables = tablesFor(session)
  const open = (path: readonly string[], dialog: 'new' | 'import') => () =>
    go(path, { ...(route.path.join('/') === path.join('/') && Object.fromEntries(route.query)), [dialog]: '' })
  return [
    ...tables.map(
      ({ path, one }): Command => ({
        id: `new-${path.join('-')}`,
        section: 'Actions',
        title: `New ${one}`,
        also: 'create add',
        icon: 'plus',
        act: open(path, 'new'),
      }),
    ),
    ...workspaces
      .filter((name) => name !== me.Workspace)
      .map(
        (name): Command => ({
          id: `workspace-${name}`,
          section: 'Actions',
          title: `Switch to workspace ${name}`,
          icon: 'workspaces',
          act: () => goToWorkspace(name),
        }),
      ),
    ...tables.map(
      ({ path, many }): Command => ({
        id: `import-${path.join('-')}`,
        section: 'Actions',
        title: `Import ${many}`,
        also: 'file upload CSV Excel',
        icon: 'upload',
        act: open(path, 'import'),
      }),
    ),
  ]
}
