import type { Finding } from '../../transports/cli/app.ts'
import { examineConfiguration } from './configuration.ts'
import type { DoctorInput, Findings } from './findings.ts'
import { examineLogin } from './login.ts'
import { examinePlatforms } from './platforms.ts'
import { examinePort } from './port.ts'
import { examineRuntime } from './runtime.ts'
import { examineServer } from './server.ts'

/** In order: what comes first is more likely the reason for what comes later. */
const AREAS: readonly ((patient: DoctorInput) => Findings)[] = [
  examineRuntime,
  examineConfiguration,
  examineLogin,
  examineServer,
  examinePlatforms,
  examinePort,
]

/** Looks at everything that a command needs, and changes nothing. */
export async function* examine(patient: DoctorInput): AsyncGenerator<Finding> {
  for (const area of AREAS) yield* area(patient)
}
