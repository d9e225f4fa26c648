import { arch, platform, release } from 'node:os'
import { connect, sqliteDriver } from '../../platforms/stores/sqlite/connection.ts'
import type { Finding } from '../../transports/cli/app.ts'
import { type DoctorInput, findingsIn } from './findings.ts'

/** As package.json has it. */
const OLDEST = [20, 19] as const

const { good, bad } = findingsIn('Runtime')

/** Node and the operating system. */
export async function* examineRuntime({ version }: DoctorInput): AsyncGenerator<Finding> {
  yield good('CRM Connector', version)
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  yield major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])
    ? good('Node', `${process.version} on ${platform()} ${release()}, ${arch()}`)
    : bad('Node', `${process.version} is too old.`, 'unsupported', `Install Node ${OLDEST.join('.')} or newer.`)
  try {
    const memory = connect(await sqliteDriver(), ':memory:', [])
    yield good('SQLite', String(memory.get('SELECT sqlite_version() AS version', [])?.version))
    memory.close()
  } catch (error) {
    yield bad(
      'SQLite',
      `It cannot be loaded: ${(error as Error).message}`,
      'internal',
      'Install again with npm ci, on the machine and the Node it is to run with.',
    )
  }
}
