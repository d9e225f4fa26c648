import { existsSync } from 'node:fs'
import { CONFIG_ROWS, examineConfig } from '../config.ts'
import { nearest } from '../contract/names.ts'
import { destinationOf } from '../destination.ts'
import { shownStore } from '../open.ts'
import type { Finding } from '../transports/cli/doors.ts'
import { about, type Patient } from './findings.ts'

const { good, doubtful, bad, failed } = about('Configuration')

/** What was said, by whom, and what is wrong with it. */
export function* examineConfiguration({ flags, environment }: Patient): Generator<Finding> {
  const { faults, said, config } = examineConfig(flags, environment)
  for (const { field, message, expected, didYouMean } of faults) {
    const near = didYouMean === undefined ? '' : `Did you mean ${didYouMean}? `
    yield bad(field, message, 'invalid_input', `${near}${expected === undefined ? 'docs/configuration.md has them all.' : `Expected: ${expected}.`}`)
  }
  for (const { name, value, where } of said) {
    if (faults.some(({ field }) => field === where)) continue
    const shown = value === undefined ? 'set' : name === 'platform' || name === 'store' ? shownStore(value) : value
    yield good(where.startsWith('crm.config.json') ? where : name, where.startsWith('crm.config.json') ? shown : `${shown}, by ${where}`)
  }
  if (said.length === 0) yield good('Settings', existsSync('crm.config.json') ? 'only what crm.config.json says about values' : 'all at their defaults')
  const known: string[] = Object.values(CONFIG_ROWS).map(({ variable }) => variable)
  for (const name of Object.keys(environment)) {
    if (!/^CRM_(?!TEST_)/.test(name) || known.includes(name)) continue
    const [near] = nearest(name, known)
    yield doubtful(name, 'This variable means nothing here.', near === undefined ? 'Remove it, unless it is for another program.' : `Did you mean ${near}?`)
  }
  try {
    const destination = destinationOf(flags, environment)
    const place = destination.kind === 'server' ? destination.url : `the store ${shownStore(config.platform)}`
    yield good('Commands', `go to ${place}, because ${destination.because}`)
  } catch (error) {
    yield failed('Commands', error, 'crm login --help says where commands go.')
  }
}
