import { destinationOf } from '../../config/destination.ts'
import { examineConfig } from '../../config/settings.ts'
import type { Patient } from './findings.ts'

/** The server that calls go through, if they do; what is wrong with that is said elsewhere. */
export function serverOf({ flags, environment }: Patient): { readonly url: string; readonly key: string } | undefined {
  try {
    const destination = destinationOf(flags, environment)
    return destination.kind === 'server' ? destination : undefined
  } catch {
    return undefined
  }
}

/** Whether anybody has named a store. */
export function namesStore({ flags, environment }: Patient): boolean {
  return examineConfig(flags, environment).said.some(({ name }) => name === 'platform' || name === 'store')
}
