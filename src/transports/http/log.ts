import { type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino'
import { prettyLine } from './log-format.ts'

export interface LogOptions {
  readonly level: string
  /** Lines for people instead of JSON. */
  readonly pretty: boolean
  /** Standard output unless given. */
  readonly destination?: DestinationStream
}

const SECRET = /^(?:authorization|proxy-authorization|cookie|set-cookie|(?:api_?)?key|password|secret|token|digest)$/i
/** A key of this service, wherever it turns up: in a request id, a stack, an address. */
const KEY = /crm_[A-Za-z0-9_-]{20,}/g
const REDACTED = '[redacted]'

/**
 * The log: JSON lines, or lines for people. Written asynchronously in groups, and flushed when the process ends. Members named like a secret
 * and texts that look like a key are redacted at any depth.
 */
export function createLog({ level, pretty, destination = pino.destination({ dest: 1, sync: false }) }: LogOptions): Logger {
  const options: LoggerOptions = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    hooks: { streamWrite: (line) => line.replace(KEY, REDACTED) },
    formatters: {
      level: (label) => ({ level: label }),
      log: (fields) => strike(fields, 0) as Record<string, unknown>,
    },
  }
  return pino(options, pretty ? { write: (line: string) => destination.write(prettyLine(line)) } : destination)
}

function strike(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null || depth > 8) return value
  if (Array.isArray(value)) return value.map((each) => strike(each, depth + 1))
  if (value instanceof Error) return { message: value.message, stack: value.stack, ...(value.cause !== undefined && { cause: strike(value.cause, depth + 1) }) }
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, SECRET.test(name) ? REDACTED : strike(each, depth + 1)]))
}
