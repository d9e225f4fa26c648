import { callTarget } from '../../config/call-target.ts'
import { examineConfig } from '../../config/settings.ts'
import type { DoctorInput } from './findings.ts'

/** The server that calls go through, if they do; what is wrong with that is said elsewhere. */
export function configuredServer({ flags, environment }: DoctorInput): { readonly url: string; readonly key: string } | undefined {
  try {
    const destination = callTarget(flags, environment)
    return destination.kind === 'server' ? destination : undefined
  } catch {
    return undefined
  }
}

/** Whether anybody has named a store. */
export function namesStore({ flags, environment }: DoctorInput): boolean {
  return examineConfig(flags, environment).said.some(({ name }) => name === 'platform' || name === 'store')
}
