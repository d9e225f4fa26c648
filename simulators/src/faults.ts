type Measure = 'chance' | 'milliseconds' | 'count' | 'name' | 'host'

export const FAULTS = {
  'rate-limit': { measure: 'chance', fallback: '0.2', help: 'refuses calls because there were too many' },
  'daily-quota': { measure: 'count', fallback: '100', help: 'refuses everything after so many calls a day' },
  error: { measure: 'chance', fallback: '0.2', help: 'answers with a 500 in the place of doing it' },
  'error-after': { measure: 'chance', fallback: '0.2', help: 'answers with a 500 although it was done' },
  slow: { measure: 'milliseconds', fallback: '1000', help: 'answers so much later' },
  'drop-before': { measure: 'chance', fallback: '0.2', help: 'drops the connection before anything is done' },
  'drop-after': { measure: 'chance', fallback: '0.2', help: 'drops the connection after it was done' },
  late: { measure: 'milliseconds', fallback: '40000', help: 'drops the connection of a write, and does it only so much later' },
  'expired-session': { measure: 'chance', fallback: '0.2', help: 'lets sessions expire' },
  'lock-row': { measure: 'chance', fallback: '0.2', help: 'refuses writes because the record is locked by another' },
  'stale-cursor': { measure: 'chance', fallback: '0.2', help: 'no longer knows the cursor of a page' },
  'field-security': { measure: 'name', fallback: '', help: 'hides a field, such as Lead.Email' },
  'index-lag': { measure: 'milliseconds', fallback: '2000', help: 'searches find what was written only so much later' },
  'late-rows': { measure: 'milliseconds', fallback: '5000', help: 'lists, queries and searches show a write only so much later' },
  'same-stamp': { measure: 'milliseconds', fallback: '1000', help: 'rounds the times of writes down to multiples of this' },
  'clock-skew': { measure: 'milliseconds', fallback: '5000', help: 'the clock of the CRM is so much behind' },
  calculated: { measure: 'chance', fallback: '0.2', help: 'moves the modified date some time after a write, although nothing else changes' },
  'new-id': { measure: 'chance', fallback: '1', help: 'gives the result of a merge a new id' },
  rotation: { measure: 'chance', fallback: '1', help: 'replaces refresh tokens at each use, and revokes all where a replaced one is used again' },
  'other-instance': { measure: 'host', fallback: 'elsewhere.example', help: 'signs in to an account at another host' },
  malformed: { measure: 'chance', fallback: '0.2', help: 'cuts the body of an answer off' },
} as const satisfies { readonly [name: string]: { readonly measure: Measure; readonly fallback: string; readonly help: string } }

export type FaultName = keyof typeof FAULTS

export interface Fault {
  readonly name: FaultName
  /** The number, or the field. */
  readonly value: string
  /** Only requests whose method and path, as in `POST /crm/v3/objects/deals`, contain this. */
  readonly on: string
  /** How many times it still happens; undefined if it happens by chance. */
  left: number | undefined
  spent: { readonly day: number; readonly used: number }
}

/** A daily quota and the calls that were counted. */
export interface Quota {
  readonly used: number
  readonly most: number
}

type RequestLine = { readonly method: string; readonly path: string }

export class FaultError extends Error {
  override readonly name = 'FaultError'
}

/** The faults that are switched on. */
export class Faults {
  /** How many requests a fault has happened to so far. */
  happened = 0
  private on: Fault[] = []
  private readonly random: () => number
  /** Requests whose session has expired by chance, and which are not sent again yet. */
  private readonly expired = new Set<string>()

  constructor(random: () => number) {
    this.random = random
  }

  /** Switches a fault on: `drop-after`, `drop-after=0.1`, or `drop-after=2x` for the next two requests, each optionally followed by `:POST /path`. */
  add(text: string): void {
    this.on.push(readFault(text))
  }

  clear(): void {
    this.on = []
  }

  list(): string[] {
    return this.on.map(({ name, value, on, left }) => `${name}=${left === undefined ? value : `${left}x`}${on && `:${on}`}`)
  }

  /** Whether a fault happens to this request. Counts down a fault that happens a number of times. */
  happens(name: FaultName, request: RequestLine): boolean {
    const happens = this.of(name, request).some((fault) => {
      if (fault.left === undefined) return this.happensByChance(fault, request)
      if (fault.left === 0) return false
      fault.left--
      return true
    })
    if (happens) this.happened++
    return happens
  }

  /** The largest value of a fault for this request, or for any if none is given; undefined if it is off. */
  amount(name: FaultName, request?: RequestLine): number | undefined {
    const amounts = (request ? this.of(name, request).map(({ value }) => value) : this.names(name)).map(Number)
    return amounts.length === 0 ? undefined : Math.max(...amounts)
  }

  /** Counts a call in every quota for it. False, without counting, if one is used up. */
  spend(request: RequestLine, day: number): boolean {
    const quotas = this.of('daily-quota', request)
    for (const quota of quotas) if (quota.spent.day !== day) quota.spent = { day, used: 0 }
    if (quotas.some(({ value, spent }) => spent.used >= Number(value))) return false
    for (const quota of quotas) quota.spent = { day, used: quota.spent.used + 1 }
    return true
  }

  /** The quota for this request with the fewest calls left; undefined if there is none. */
  quota(request: RequestLine): Quota | undefined {
    const quotas = this.of('daily-quota', request).map(({ value, spent }) => ({ used: spent.used, most: Number(value) }))
    return quotas.sort((one, other) => one.most - one.used - (other.most - other.used))[0]
  }

  /** Restarts every quota. */
  refill(): void {
    for (const fault of this.on) fault.spent = UNSPENT
  }

  /** The values of a fault, such as the hidden fields. */
  names(name: FaultName): string[] {
    return this.on.flatMap((fault) => (fault.name === name ? [fault.value] : []))
  }

  /** A request that is sent again with a new session is not refused for it a second time, unless it is to be each time: that would be wrong credentials. */
  private happensByChance({ name, value }: Fault, { method, path }: RequestLine): boolean {
    const mayExpire = name === 'expired-session' && value !== '1'
    if (mayExpire && this.expired.delete(`${method} ${path}`)) return false
    const happens = this.random() < Number(value)
    if (mayExpire && happens) this.expired.add(`${method} ${path}`)
    return happens
  }

  private of(name: FaultName, { method, path }: RequestLine): Fault[] {
    return this.on.filter((fault) => fault.name === name && `${method} ${path}`.includes(fault.on))
  }
}

const SYNTAX = /^([a-z-]+)(?:=([^:]*))?(?::(.*))?$/
const UNSPENT = { day: 0, used: 0 }
/** The longest timer of Node. */
const MOST_MS = 2 ** 31 - 1

/** Parses a fault, or throws a FaultError that explains what is wrong. */
export function readFault(text: string): Fault {
  const [, name = '', given, on] = SYNTAX.exec(text.trim()) ?? []
  if (!Object.hasOwn(FAULTS, name)) throw new FaultError(`There is no fault ${JSON.stringify(text)}. There are: ${Object.keys(FAULTS).join(', ')}.`)
  const { measure, fallback } = FAULTS[name as FaultName]
  if (on === '') throw new FaultError(`Nothing is behind the colon of ${text.trim()}; a part of the method and path is expected, such as POST /api.`)
  if (given === '') throw new FaultError(`Nothing is behind ${name}=; ${EXPECTED[measure]} is expected.`)
  const value = given ?? fallback
  const fault = { name: name as FaultName, value, on: on ?? '', left: undefined, spent: UNSPENT }
  const times = /^([1-9]\d{0,8})x$/.exec(value)?.[1]
  if (measure === 'chance' && times !== undefined) return { ...fault, value: '1', left: Number(times) }
  const [, length, unit] = /^(\d+(?:\.\d+)?)(ms|s)?$/.exec(value) ?? []
  const ms = Number(length) * (unit === 's' ? 1000 : 1)
  if (measure === 'milliseconds' && ms <= MOST_MS) return { ...fault, value: String(ms) }
  if (measure === 'milliseconds' || !GOOD[measure].test(value)) throw new FaultError(`${name}=${value} makes no sense; ${EXPECTED[measure]} is expected.`)
  return fault
}

const GOOD: { readonly [M in Exclude<Measure, 'milliseconds'>]: RegExp } = {
  chance: /^(?:0|1|1\.0+|0?\.\d+)$/,
  count: /^\d{1,9}$/,
  name: /^\w+\.\w+$/,
  host: /^[\w.-]+$/,
}

const EXPECTED: { readonly [M in Measure]: string } = {
  chance: 'a chance from 0 to 1, or a number of times such as 3x,',
  milliseconds: 'a time such as 500ms or 2s',
  count: 'a whole number',
  name: 'an object and a field, such as Lead.Email,',
  host: 'a host, such as elsewhere.example,',
}
