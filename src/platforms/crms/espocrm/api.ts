import { Connection, type CrmRequest } from '../engine/connection.ts'
import { DriverError } from '../engine/errors.ts'
import type { OpenOptions } from '../engine/kind.ts'
import { Session } from '../engine/session.ts'
import { refusalOf, type TableOf } from './errors.ts'
import type { EntityDefs, ScopeDefs } from './metadata.ts'
import type { Credentials } from './sign-in.ts'
import { SignInGate } from './sign-in-gate.ts'
import { type Item, pair, whereIn } from './where.ts'

export type Row = { readonly [attribute: string]: unknown }

export interface Listing {
  readonly where?: readonly Item[]
  readonly select?: readonly string[]
  readonly orderBy?: string
  readonly descending?: boolean
  readonly size: number
  /** Whether it is to be counted how many there are. */
  readonly counts?: boolean
}

export interface Listed {
  readonly list: readonly Row[]
  /** Negative where EspoCRM does not count. */
  readonly total: number
}

/** The API user and its permissions, as EspoCRM reports them. */
export interface Me {
  readonly user: { readonly id: string; readonly userName: string; readonly type: string }
  readonly acl: {
    readonly table: { readonly [scope: string]: boolean | { readonly [right: string]: string } | undefined }
    readonly fieldTable?: { readonly [scope: string]: { readonly [field: string]: { readonly [right: string]: string } | undefined } | undefined }
    readonly assignmentPermission?: string
  }
  readonly settings?: { readonly [name: string]: unknown }
}

/** Where EspoCRM is: its origin, and the path of its API below it. */
export interface Whereabouts {
  readonly origin: string
  readonly base: string
}

/** EspoCRM's own requests. */
export class Api {
  private readonly connection: Connection
  private readonly base: string
  private readonly gate = new SignInGate()

  constructor(
    { retry, settings, onRequest, onSignIn, lookup }: Pick<OpenOptions, 'retry' | 'settings' | 'onRequest' | 'onSignIn' | 'lookup'>,
    { origin, base }: Whereabouts,
    credentials: Credentials,
    tableOf: TableOf,
  ) {
    this.base = base
    this.connection = new Connection({
      name: 'EspoCRM',
      origin,
      session: new Session(async () => credentials.sign(), onSignIn),
      authorize: (signed, request) => credentials.headers(signed, request),
      isExpired: ({ status }) => status === 401,
      isOwn: ({ headers }) => headers['x-status-reason'] !== undefined,
      refusal: (answer, request) => refusalOf(answer, request, base, tableOf, credentials.who),
      onRequest,
      retry,
      timeoutMs: settings.timeoutMs,
      lookup,
    })
  }

  read(object: string, id: string): Promise<Row> {
    return this.ask('GET', `${object}/${encodeURIComponent(id)}`)
  }

  list(path: string, { where = [], select, orderBy, descending, size, counts = false }: Listing): Promise<Listed> {
    const query = [
      pair('maxSize', String(size)),
      ...(orderBy === undefined ? [] : [pair('orderBy', orderBy), pair('order', descending ? 'desc' : 'asc')]),
      ...(select ? [pair('select', select.join(','))] : []),
      ...(where.length > 0 ? [whereIn(where)] : []),
    ]
    return this.ask('GET', `${path}?${query.join('&')}`, { headers: counts ? {} : { 'x-no-total': 'true' } })
  }

  post<T = Row>(path: string, body: unknown, more: Partial<CrmRequest> = {}): Promise<T> {
    return this.ask('POST', path, { body, ...more })
  }

  put(object: string, id: string, body: unknown, more: Partial<CrmRequest> = {}): Promise<Row> {
    return this.ask('PUT', `${object}/${encodeURIComponent(id)}`, { body, ...more })
  }

  async delete(path: string, body?: unknown): Promise<void> {
    await this.ask('DELETE', path, body === undefined ? {} : { body })
  }

  me(): Promise<Me> {
    return this.ask('GET', 'App/user')
  }

  /** The definition of an object; null where there is none to be seen. */
  async entity(scope: string): Promise<EntityDefs | null> {
    const { fields = {}, links = {} } = (await this.metadata<Partial<EntityDefs>>(`entityDefs.${scope}`)) ?? {}
    return Object.keys(fields).length > 0 ? { fields, links } : null
  }

  async scopes(): Promise<{ readonly [scope: string]: ScopeDefs }> {
    return (await this.metadata<{ readonly [scope: string]: ScopeDefs }>('scopes')) ?? {}
  }

  /** What people call things, by scope; the language is the user's. */
  async texts(): Promise<{ readonly [scope: string]: { readonly fields?: { readonly [field: string]: string } } | undefined }> {
    return (await this.ask<Awaited<ReturnType<Api['texts']>> | undefined>('GET', 'I18n')) ?? {}
  }

  now(): number {
    return this.connection.now()
  }

  close(): Promise<void> {
    return this.connection.close()
  }

  private async metadata<T>(key: string): Promise<T | null> {
    return (await this.ask<T | null | undefined>('GET', `Metadata?${pair('key', key)}`)) ?? null
  }

  private async ask<T>(method: CrmRequest['method'], path: string, more: Partial<CrmRequest> = {}): Promise<T> {
    const answer = await this.gate.send(() => this.connection.json<T | undefined>({ ...more, method, path: `${this.base}/${path}` }))
    if (answer === undefined && method !== 'GET')
      throw new DriverError('outcome_unknown', 'EspoCRM answered with nothing at all, which it never does.', { unknown: 'open' })
    return answer as T
  }
}
