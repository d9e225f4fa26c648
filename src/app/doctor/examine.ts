import type { Finding } from '../../transports/cli/app.ts'
import { examineConfiguration } from './configuration.ts'
import type { DoctorInput, Findings } from './findings.ts'
import { examineLogin } from './login.ts'
import { examinePlatforms } from './platforms.ts'
import { examinePort } from './port.ts'
import { examineRuntime } from './runtime.ts'
import { examineServer } from './server.ts'
import { examineSignIn } from './sign-in.ts'

/** In order of cause: a problem in one area is often the reason for problems in later ones. */
const AREAS: readonly ((input: DoctorInput) => Findings)[] = [
  examineRuntime,
  examineConfiguration,
  examineLogin,
  examineServer,
  examinePlatforms,
  examineSignIn,
  examinePort,
]

/** Examines everything that a command needs, and changes nothing. */
export async function* examine(input: DoctorInput): AsyncGenerator<Finding> {
  for (const area of AREAS) yield* area(input)
}
