import { EVENT_TYPES } from './records/event.ts'

/** The event types, and the patterns that stand for all events, of a record type or of any: `lead.created`, `lead.*`, `*`. */
export const EVENT_PATTERNS: ReadonlySet<string> = new Set(['*', ...EVENT_TYPES.flatMap(({ type }) => [`${type.split('.', 1)[0]}.*`, type])])
