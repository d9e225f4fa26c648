import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { loginFile, readLogin } from '../../config/login.ts'
import type { Finding } from '../../transports/cli/app.ts'
import { type DoctorInput, findingsIn } from './findings.ts'
import { modeOpenToOthers } from './permissions.ts'

const { good, doubtful, failed } = findingsIn('Login')

/** The server of the login, and who can read its key. */
export function* examineLogin({ environment }: DoctorInput): Generator<Finding> {
  const file = loginFile(environment)
  if (!existsSync(file)) return
  try {
    yield good('Login', `${readLogin(environment)?.url}, in ${file}`)
  } catch (error) {
    yield failed('Login', error, 'Sign in again with crm login, or delete it with crm logout.')
  }
  const mode = modeOpenToOthers(dirname(file))
  if (mode !== undefined) yield doubtful('Folder', `Others may look into ${dirname(file)} (mode ${mode}).`, `chmod 700 ${dirname(file)}`)
}
