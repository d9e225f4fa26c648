import { callTarget } from '../../config/call-target.ts'
import { examineConfig } from '../../config/settings.ts'
import type { DoctorInput } from './findings.ts'

/** The server that calls go through, if any. A faulty setting is reported with the configuration. */
export function configuredServer({ flags, environment }: DoctorInput): { readonly url: string; readonly key: string } | undefined {
  try {
    const target = callTarget(flags, environment)
    return target.kind === 'server' ? target : undefined
  } catch {
    return undefined
  }
}

export function namesStore({ flags, environment }: DoctorInput): boolean {
  return examineConfig(flags, environment).givenSettings.some(({ name }) => name === 'platform' || name === 'store')
}
