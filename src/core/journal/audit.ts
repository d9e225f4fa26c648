import { CrmError } from '../../contract/errors.ts'
import type { AuditReport } from '../../platforms/store.ts'
import { noWorkspace } from '../access/authenticate.ts'
import type { Service } from '../service.ts'

export type Audited = AuditReport & { readonly workspace: string }

interface Audit {
  /** Only this workspace; all of them unless given. */
  readonly workspace?: string | undefined
  /** A head that an earlier audit has shown, and that must still be part of the chain. */
  readonly head?: AuditReport['head'] | undefined
  readonly progress?: (workspace: string, lines: number) => void
}

/** Verifies the hash chain of changes of each workspace. */
export async function verifyAudit({ store }: Service, { workspace, head, progress }: Audit): Promise<Audited[]> {
  const all = await store.workspaces()
  const wanted = all.filter(({ name }) => workspace === undefined || name === workspace)
  if (workspace !== undefined && wanted.length === 0) throw noWorkspace(workspace, all)
  if (head && wanted.length > 1) throw new CrmError('invalid_input', 'A head belongs to one workspace; name the workspace too.')
  const reports: Audited[] = []
  for (const { name, number } of wanted) {
    const report = await store.journal(number).verify({ expected: head, progress: progress && ((lines) => progress(name, lines)) })
    reports.push({ workspace: name, ...report })
  }
  return reports
}
