import type { Flags } from '../../config/settings.ts'
import { CrmError, type ErrorCode, type Fault } from '../../contract/errors.ts'
import type { Finding } from '../../transports/cli/app.ts'

export interface DoctorInput {
  readonly flags: Flags
  readonly environment: NodeJS.ProcessEnv
  readonly version: string
  /** Whether large stores are checked in full too. */
  readonly deep: boolean
}

export type Findings = AsyncIterable<Finding> | Iterable<Finding>

/** A store is unsupported only where a newer version has made it. */
const UPGRADE = 'Upgrade crm-connector to the version that has made it, or a newer one.'

/** Makes findings of one area. */
export function findingsIn(area: string) {
  return {
    good: (name: string, says: string): Finding => ({ area, name, state: 'good', says }),
    doubtful: (name: string, says: string, todo: string): Finding => ({ area, name, state: 'doubtful', says, todo }),
    /** Neither good nor bad is known. */
    unchecked: (name: string, says: string, todo?: string): Finding => ({ area, name, state: 'unchecked', says, ...(todo !== undefined && { todo }) }),
    bad: (name: string, says: string, code: ErrorCode, todo: string): Finding => ({ area, name, state: 'bad', says, code, todo }),
    /** The finding for an error. `todo` is used where the error has no hint of its own. */
    failed(name: string, error: unknown, todo: string): Finding {
      const known = error instanceof CrmError ? error : undefined
      const needed = known?.hint ?? (known?.code === 'unsupported' ? UPGRADE : todo)
      return { area, name, state: 'bad', says: (error as Error).message, code: known?.code ?? 'platform_unavailable', todo: needed }
    },
  }
}

/** A fault of the configuration, with what was meant. */
export function faultFinding(area: string, { field, message, expected, didYouMean }: Fault): Finding {
  const meant = didYouMean === undefined ? '' : `Did you mean ${didYouMean}? `
  return findingsIn(area).bad(
    field,
    message,
    'invalid_input',
    `${meant}${expected === undefined ? 'docs/configuration.md has them all.' : `Expected: ${expected}.`}`,
  )
}

const UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB']

export function bytes(count: number): string {
  const unit = count < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log2(count) / 10))
  const value = count / 1024 ** unit
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${UNITS[unit]}`
}
