import type { CrmSettings } from '../../config/crm-settings.ts'
import type { ErrorCode } from '../../contract/errors.ts'
import { DriverError } from '../../platforms/crms/engine/errors.ts'
import type { OpenOptions } from '../../platforms/crms/engine/kind.ts'
import { hideSecrets } from '../../platforms/crms/engine/secrets.ts'
import type { Quota } from '../../platforms/platform.ts'
import type { Finding } from '../../transports/cli/app.ts'
import { type Prepared, partsOf } from '../crms.ts'
import { findingsIn } from './findings.ts'

/** The longest that a request of an examination may take. */
const TIMEOUT_MS = 10_000
/** Below this share of the quota a warning is given, whatever the floor. */
const LITTLE = 0.1
const QUOTA = 'Quota'
const THERE = 'Is it running at this address?'

/** Failures that say nothing about what was examined, once the CRM has answered at all. */
const PASSING: readonly (ErrorCode | undefined)[] = ['platform_unavailable', 'rate_limited']

/** What an account may do and what it lacks, and how much of its quota is left. Resolves to the quota. */
export async function* examineAccount(
  area: string,
  { name, quotaFloor }: Pick<CrmSettings, 'name' | 'quotaFloor'>,
  { kind }: Pick<Prepared, 'kind'>,
  given: OpenOptions,
): AsyncGenerator<Finding, Quota | undefined> {
  const opening: OpenOptions = {
    ...given,
    settings: { ...given.settings, quotaFloor: 0, timeoutMs: Math.min(TIMEOUT_MS, given.settings.timeoutMs) },
    retry: (attempt) => attempt(),
  }
  hideSecrets(opening.secrets)
  const { good, unchecked, bad } = findingsIn(area)
  let answered = false
  try {
    const examine = await partsOf(name).examination()
    let isGood = true
    let quota: Finding | undefined
    for await (const found of examine(opening)) {
      const called = found.name.charAt(0).toUpperCase() + found.name.slice(1)
      const todo = found.todo ?? (found.code === 'platform_unavailable' ? THERE : `docs/platforms/${name}.md has what the account needs.`)
      const unknown = found.unchecked || (!found.good && answered && PASSING.includes(found.code))
      const finding = unknown
        ? unchecked(called, found.text, found.todo)
        : found.good
          ? good(called, found.text)
          : bad(called, found.text, found.code ?? 'forbidden', todo)
      answered ||= found.good
      // The quota is reported last, and compared with quotaFloor.
      if (called === QUOTA) quota = finding
      else {
        isGood &&= found.good
        yield finding
      }
    }
    const left = isGood ? await quotaOf(kind, opening) : undefined
    if (left) yield quotaFinding(area, left, quotaFloor)
    else if (quota) yield quota
    return left
  } catch (error) {
    const known = error instanceof DriverError ? error : undefined
    yield answered && PASSING.includes(known?.code)
      ? unchecked(kind.label, `The rest could not be checked: ${(error as Error).message}`, 'Run crm doctor again later.')
      : bad(kind.label, (error as Error).message, known?.code ?? 'internal', known?.hint ?? THERE)
    return undefined
  }
}

async function quotaOf(kind: Prepared['kind'], opening: OpenOptions): Promise<Quota | undefined> {
  const driver = await kind.open(opening)
  try {
    await driver.ping()
    return driver.quota()
  } finally {
    await driver.close()
  }
}

function quotaFinding(area: string, { of, used, most }: Quota, floor: number): Finding {
  const { good, doubtful, bad } = findingsIn(area)
  const says = `${used.toLocaleString('en')} of ${most.toLocaleString('en')} ${of} are used${floor > 0 ? `, and ${floor.toLocaleString('en')} are to be left` : ''}`
  if (most - used < floor || used >= most)
    return bad(
      'Quota',
      `${says}: no further requests are sent.`,
      'rate_limited',
      'Wait until the quota resets, have it raised, or lower quotaFloor in crm.config.json.',
    )
  return most - used - floor < most * LITTLE
    ? doubtful(QUOTA, `${says}.`, 'Find out which client sends so many requests, or have the quota raised.')
    : good(QUOTA, says)
}
