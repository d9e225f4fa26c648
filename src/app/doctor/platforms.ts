import { existsSync } from 'node:fs'
import { isCrm } from '../../config/crm-address.ts'
import { examineConfig } from '../../config/settings.ts'
import { PLATFORM_ADDRESSES } from '../../config/settings-table.ts'
import type { Finding } from '../../transports/cli/app.ts'
import { isPostgres, sqlitePath } from '../store-address.ts'
import { configuredServer, namesStore } from './configured.ts'
import { examineCrm } from './crm.ts'
import { type DoctorInput, type Findings, findingsIn } from './findings.ts'
import { examinePostgres } from './postgres.ts'
import { examineSqlite } from './sqlite.ts'

/** The examination of each kind of platform. */
const PLATFORMS: readonly { readonly is: (url: string) => boolean; readonly examine: (url: string, area: string, patient: DoctorInput) => Findings }[] = [
  { is: (url) => sqlitePath(url) !== undefined, examine: examineSqlite },
  { is: isPostgres, examine: examinePostgres },
  { is: isCrm, examine: examineCrm },
]

/** Every store and platform that the configuration names. */
export async function* examinePlatforms(patient: DoctorInput): AsyncGenerator<Finding> {
  const { config } = examineConfig(patient.flags, patient.environment)
  const path = sqlitePath(config.platform)
  // Where calls go through a server, no store is needed.
  if (configuredServer(patient) && !namesStore(patient) && !(path && existsSync(path))) return
  const places = new Map<string, string[]>()
  const name = (url: string, what: string) => places.set(url, [...(places.get(url) ?? []), what])
  name(config.platform, 'Platform')
  name(config.store, 'Store')
  for (const [workspace, { platform }] of Object.entries(config.workspaces)) name(platform, `Platform of ${workspace}`)
  for (const [url, names] of places) {
    const area = names.includes('Store') ? 'Store' : names.join(', ')
    const known = PLATFORMS.find(({ is }) => is(url))
    if (known) yield* known.examine(url, area, patient)
    else
      yield findingsIn(area).bad(
        'Address',
        `There is no platform for ${JSON.stringify(url.split(':')[0])}.`,
        'invalid_input',
        `Expected: ${PLATFORM_ADDRESSES}`,
      )
  }
}
