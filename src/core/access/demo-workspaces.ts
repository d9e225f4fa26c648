import { CrmError } from '../../contract/errors.ts'
import { quote } from '../../contract/operations.ts'
import { createWorkspace, FIRST_WORKSPACE, Workspace } from '../../contract/records/workspace.ts'
import type { Condition } from '../../platforms/platform.ts'
import { findRecords } from '../call/records.ts'
import type { Caller, Service } from '../service.ts'
import { allowOperation } from './access.ts'
import { createSignInTicket } from './sign-in-links.ts'

const LISTED = 100

const is = (field: string, family: Condition['family'], value: string | boolean): Condition => ({ field, family, operator: 'eq', value })

/** Marks a workspace that was made for demo data. It is no field that a call could set, and ends with the workspace. */
export async function markDemo({ store }: Service, name: string): Promise<void> {
  await store.write(FIRST_WORKSPACE, async (writer) => {
    const [record] = await findRecords(writer, Workspace, { where: [is('Name', 'text', name)], order: ORDER, limit: 1 })
    if (record) await writer.update(Workspace.name, record.WorkspaceID, { Demo: true })
  })
}

/** The names of the workspaces that were made for demo data and are served, for callers who may make more of them. */
export async function listDemos(service: Service, caller: Caller): Promise<readonly string[]> {
  return (await demosFor(service, caller)).map(({ Name }) => Name)
}

/**
 * A ticket that signs in to a workspace with demo data once, as its admin. A caller who may make workspaces could make the same one anew; into any other
 * workspace it lets none.
 */
export async function openDemo(service: Service, caller: Caller, name: string): Promise<string> {
  const demo = (await demosFor(service, caller, [is('Name', 'text', name)]))[0]
  if (!demo)
    throw new CrmError('not_found', `There is no workspace ${quote(name)} that was made for demo data.`, {
      hint: `Where the service runs, any workspace is opened with: npx crm sign-in --workspace NAME`,
    })
  return createSignInTicket(service, demo.Name, demo.Number)
}

const ORDER = { field: 'CreatedDate', descending: false } as const

function demosFor({ store }: Service, caller: Caller, where: readonly Condition[] = []) {
  allowOperation(caller, createWorkspace)
  const demos = [is('Demo', 'boolean', true), is('State', 'text', 'active'), ...where]
  return findRecords(store.reader(FIRST_WORKSPACE), Workspace, { where: demos, order: ORDER, limit: LISTED })
}
