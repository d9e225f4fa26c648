import type { MirrorUse } from '../../contract/mirror-use.ts'
import { Connection } from '../../contract/records/connection.ts'
import type { StoredRecord } from '../../platforms/platform.ts'
import { findRecords, newRecord, nextRevision } from '../call/records.ts'
import type { Service } from '../service.ts'

/** The platform of a workspace that the configuration connects to an account. */
export interface Configured {
  readonly workspace: string
  readonly platform: string
  readonly address: string | null
  readonly account: string | null
  /** Why it is not open yet, where it is not. */
  readonly remark: string | null
  readonly mirrorUse: MirrorUse
}

/** Shows what the configuration connects these workspaces to as connections too, which cannot be edited, and removes those that it no longer has. */
export async function showConfigured(service: Service, names: readonly string[], all: readonly Configured[]): Promise<void> {
  for (const name of names) {
    const workspace = await service.store.workspace(name)
    const configured = all.find((one) => one.workspace === name)
    if (workspace) await showIn(service, workspace.number, configured)
  }
}

async function showIn({ store }: Service, workspace: number, configured: Configured | undefined): Promise<void> {
  const query = { where: [], order: { field: Connection.id, descending: false }, limit: 1000 }
  const shown = (connections: readonly StoredRecord[]) => connections.find(({ Configured }) => Configured === true)
  const wanted = configured && {
    Platform: configured.platform,
    Address: configured.address,
    Account: configured.account,
    Reason: configured.remark,
    Watch: configured.mirrorUse.watch,
    Reads: configured.mirrorUse.reads,
  }
  const isShown = (record: StoredRecord | undefined) =>
    wanted ? record !== undefined && Object.entries(wanted).every(([name, value]) => record[name] === value) : record === undefined
  if (isShown(shown(await findRecords(store.reader(workspace), Connection, query)))) return
  await store.write(workspace, async (writer) => {
    await writer.lockWorkspace()
    const all = await findRecords(writer, Connection, query)
    const before = shown(all)
    if (isShown(before)) return
    if (!wanted) return writer.delete(Connection.name, before?.ConnectionID as string)
    if (before) return writer.update(Connection.name, before.ConnectionID as string, { ...wanted, ...nextRevision(before, writer.now()) })
    const isUsed = !all.some(({ InUse }) => InUse)
    const more = {
      SignIn: 'secrets',
      SecretNames: [],
      State: 'connected',
      ConnectedDate: writer.now(),
      InUse: isUsed,
      Configured: true,
      Label: 'From the configuration',
    }
    await writer.create(Connection.name, newRecord(Connection, writer.newId(), { ...wanted, ...more }))
  })
}
