import { ERRORS } from '../../contract/errors.ts'
import { EVENT_PATTERNS } from '../../contract/event-patterns.ts'
import { TIERS } from '../../contract/operation.ts'
import { OPERATIONS, RECORD_TYPES } from '../../contract/operations.ts'
import { EVENT_TYPES } from '../../contract/records/event.ts'
import { namesOf } from '../../contract/scopes.ts'

/** Values of inputs and fields that are a closed set, although their schema takes any text: that set is made from the whole contract. */
export const CLOSED_VALUES: ReadonlyMap<string, readonly string[]> = new Map([
  ['RecordType', RECORD_TYPES.map(({ name }) => name)],
  ['Operation', [...OPERATIONS.map(({ id }) => id), 'batch']],
  ['Outcome', ['ok', ...Object.keys(ERRORS)]],
  ['EventType', EVENT_TYPES.map(({ type }) => type)],
  ['EventTypes', [...EVENT_PATTERNS]],
  ['Scopes', [...TIERS, ...new Set(OPERATIONS.flatMap((operation) => [...namesOf(operation), operation.id].map((name) => `${operation.tier}:${name}`)))]],
])
