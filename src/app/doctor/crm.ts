import type { CrmSettings } from '../../config/crm-settings.ts'
import { secretVariable } from '../../config/secrets.ts'
import { examineConfig } from '../../config/settings.ts'
import type { Fault } from '../../contract/errors.ts'
import type { Finding } from '../../transports/cli/app.ts'
import { type Prepared, prepareCrm } from '../crms.ts'
import { examineAccount } from './account.ts'
import { type DoctorInput, faultFinding, findingsIn } from './findings.ts'
import { modeOpenToOthers } from './permissions.ts'
import { requestsFinding } from './requests.ts'

/** A CRM: its address and secrets, what the account may do there, and how much of its quota is left. */
export async function* examineCrm(url: string, area: string, { flags, environment }: DoctorInput): AsyncGenerator<Finding> {
  const { good, doubtful } = findingsIn(area)
  const settings = examineConfig(flags, environment).config.crms[url]
  // A faulty address is reported with the configuration.
  if (!settings) return
  yield /^http:\/\/(?!localhost\b|127\.|\[::1\])/.test(settings.place)
    ? doubtful('Address', `${url} is not encrypted: secrets and records travel as plain text.`, 'Use https.')
    : good('Address', url)
  const faults: Fault[] = []
  const prepared = await prepareCrm(settings, faults)
  for (const fault of faults) yield faultFinding(area, fault)
  yield* secretsOf(area, settings, prepared)
  if (faults.length > 0 || prepared.secrets.length === 0) return
  const quota = yield* examineAccount(area, settings, prepared, { ...prepared.opening, retry: (attempt) => attempt() })
  const requests = await requestsFinding(area, url, examineConfig(flags, environment).config.store, quota)
  if (requests) yield requests
}

/** Which secrets there are, never what they are. */
function* secretsOf(area: string, { prefix }: CrmSettings, { kind, secrets }: Prepared): Generator<Finding> {
  const { good, doubtful, bad } = findingsIn(area)
  if (secrets.length === 0) {
    const wanted = Object.entries(kind.secrets).map(([name, meaning]) => `${secretVariable(prefix, name)} (${meaning})`)
    yield bad(
      'Secrets',
      `There are none for ${kind.label}.`,
      'unauthenticated',
      `Set what the way to sign in needs: ${wanted.join(', ')}. With _FILE behind its name, a variable names a file.`,
    )
  } else yield good('Secrets', secrets.map(({ name, variable }) => `${name} by ${variable}`).join(', '))
  for (const { variable, file } of secrets) {
    const mode = file === undefined ? undefined : modeOpenToOthers(file)
    if (mode !== undefined) yield doubtful(variable, `Others have rights on ${file} (mode ${mode}), which holds a secret.`, `chmod 600 ${file}`)
  }
}
