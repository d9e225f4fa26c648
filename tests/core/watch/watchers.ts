import { watch, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Simulate } from 'crm-simulators'
import type { TestContext } from 'vitest'
import { defaultPrefix } from '../../../src/config/crm-settings.ts'
import { secretVariable } from '../../../src/config/secrets.ts'
import type { CrmName } from '../../../src/platforms/crms/names.ts'
import type { Crm } from '../../support/crms.ts'
import { type RunningService, startService } from '../../support/service.ts'

const CRM_SECRET_KEYS = Buffer.alloc(32, 7).toString('base64')

/** More than a process that is killed holds its lease for. */
const AHEAD_MS = 20_000

const STORE = 'crm.db'

/** What SQLite writes to first. */
const WRITTEN = `${STORE}-wal`

export const storeIn = (folder: string) => join(folder, STORE)

type Doing = 'requests' | 'writes'

interface Watching {
  readonly name: string
  readonly crm: Crm
  /** The address of the simulated CRM. */
  readonly address: string
  /** Where the store is, and the processes run. */
  readonly folder: string
  readonly atEnd: TestContext['onTestFinished']
}

/** Processes of the built service that watch one account from one store. */
export function watchersOf({ name, crm, address, folder, atEnd }: Watching) {
  const CRM_PLATFORM = `${name}:${address}`
  writeFileSync(join(folder, 'crm.config.json'), JSON.stringify({ platforms: { [CRM_PLATFORM]: { options: crm.options ?? {} } } }))
  const secrets = Object.fromEntries(crm.secrets.map((one) => [secretVariable(defaultPrefix(name as CrmName), one), 'simulator']))
  const env = {
    CRM_PLATFORM,
    CRM_STORE: `sqlite:${storeIn(folder)}`,
    CRM_SECRET_KEYS,
    CRM_LOG_LEVEL: 'error',
    CRM_WATCH_INTERVAL: '1',
    CRM_WATCH_REQUESTS: '1000000',
    ...secrets,
  }
  let aheadMs = 0
  const start = () => startService(folder, { env, atEnd, node: ['--import', clockAhead(aheadMs)] })
  return {
    /** One that waits until the lease of the one before has expired. */
    start,
    /** One whose clock is so far ahead that the lease of the one before has expired. */
    startLater() {
      aheadMs += AHEAD_MS
      return start()
    },
  }
}

/** A module that sets the clock of a process forward. */
const clockAhead = (ms: number) =>
  `data:text/javascript,${encodeURIComponent(`
    const Given = Date
    globalThis.Date = class extends Given {
      constructor(...parts) {
        super(...(parts.length === 0 ? [Given.now() + ${ms}] : parts))
      }
      static now() {
        return Given.now() + ${ms}
      }
    }`)}`

/** Kills processes in the middle of what they do: of requests to a simulated CRM, or of writes to their store in a folder. */
export function killerIn(folder: string, simulate: Simulate, { expect, onTestFinished }: Pick<TestContext, 'expect' | 'onTestFinished'>) {
  let [left, kill] = [0, () => {}]
  let awaited: Doing = 'requests'
  const note = (doing: Doing) => {
    if (doing === awaited && left > 0 && --left === 0) kill()
  }
  const writes = watch(folder, (_event, file) => (file === WRITTEN ? note('writes') : undefined))
  onTestFinished(() => writes.close())
  return {
    simulate: ((world) => {
      const simulated = simulate(world)
      return {
        ...simulated,
        answer(request) {
          note('requests')
          return simulated.answer(request)
        },
      }
    }) satisfies Simulate,

    /** Has a process killed that many milliseconds after it, or another one, has done something so many times. Resolves to a function that waits until it was. */
    killAfter({ child }: RunningService, times: number, doing: Doing, ms: number): () => Promise<void> {
      kill = () => void (ms === 0 ? child.kill('SIGKILL') : setTimeout(() => child.kill('SIGKILL'), ms))
      awaited = doing
      left = times
      return () => expect.poll(() => child.signalCode).toBe('SIGKILL')
    },
  }
}
