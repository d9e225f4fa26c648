import type { Failure, Simulate, Simulated, WireAnswer, WireRequest, World } from '../simulated.ts'
import { Access } from './access.ts'
import { settingsFor } from './app/settings.ts'
import { language } from './customization/metadata.ts'
import { answerTo, EspoError } from './errors.ts'
import { route } from './routes.ts'
import { shapeOf } from './scopes/attributes.ts'
import { addAdministrator, checkAttempts, hasCredentials, signedIn } from './sign-in.ts'
import { type Database, Store } from './store.ts'

/** Any version, and installations in a subfolder. */
const PATH = /^(?:\/[^/]+)*?\/api\/v\d+(\/.*)?$/

const EMPTY: WireAnswer = { status: 404, headers: { 'content-type': 'text/html; charset=UTF-8' }, body: '' }
const UNAUTHORIZED: WireAnswer = { ...EMPTY, status: 401 }

/** A simulated EspoCRM 8.4 on PostgreSQL. */
export const simulateEspoCrm: Simulate = (world) => simulateOn('PostgreSQL', world)

/** The same on MariaDB, which compares texts without regard to case and accents, and sorts null first. */
export const simulateEspoCrmOnMariaDb: Simulate = (world) => simulateOn('MariaDB', world)

function simulateOn(database: Database, world: World): Simulated {
  let store = new Store(world, database)
  let startedAt = store.now()
  addAdministrator(store)

  function answer(request: WireRequest): WireAnswer {
    const resource = PATH.exec(request.path)?.[1]
    const path = resource === undefined ? undefined : namesIn(resource)
    if (resource === undefined || !path) return EMPTY
    const method = methodOf(request)
    store.request = request
    try {
      checkAttempts(store)
      const user = signedIn(store, request, resource)
      if (!user) return withoutSigningIn(request, `${method} ${path.join('/')}`)
      const body = route({ access: new Access(store, user), request, method, path, startedAt })
      return {
        status: 200,
        headers: { 'content-type': 'application/json', 'x-app-timestamp': String(Math.floor(startedAt / 1000)) },
        body: body === undefined ? '' : JSON.stringify(body),
      }
    } catch (error) {
      if (error instanceof EspoError) return answerTo(error)
      if (error instanceof RangeError) return answerTo(new EspoError(500))
      throw error
    }
  }

  /** Requests that need no sign-in. */
  function withoutSigningIn(request: WireRequest, what: string): WireAnswer {
    const headers = { 'content-type': 'application/json' }
    if (what === 'GET I18n') return { status: 200, headers, body: language(store) }
    const { origin } = request
    if (what === 'GET Settings') return { status: 200, headers, body: settingsFor(undefined, { origin, startedAt, now: store.now(), custom: [] }) }
    if (hasCredentials(request)) return UNAUTHORIZED
    // For browsers, which then show a dialog.
    return { ...UNAUTHORIZED, headers: { ...UNAUTHORIZED.headers, 'www-authenticate': 'Basic realm=""' } }
  }

  return {
    answer,
    fail: (failure) => FAILURES[failure],
    // There are no sessions: every request carries its credentials.
    isSignIn: () => false,
    isWrite: (request) => !/^(?:GET|HEAD)$/.test(methodOf(request)) && !request.path.endsWith('/Lead/action/getConvertAttributes'),
    hasField(name, field) {
      const scope = store.scopes.get(name)
      return scope !== undefined && (Object.hasOwn(scope.fields, field) || shapeOf(scope).attributes.has(field))
    },
    reset() {
      store = new Store(world, database)
      startedAt = store.now()
      addAdministrator(store)
    },
    state: () => ({ records: store.counts(), custom: store.customScopes() }),
  }
}

const methodOf = ({ method, headers }: WireRequest) => (method === 'POST' ? (headers['x-http-method-override']?.toUpperCase() ?? method) : method)

function namesIn(resource: string): string[] | undefined {
  try {
    return resource.split('/').slice(1).map(decodeURIComponent)
  } catch {
    return undefined
  }
}

const failed: WireAnswer = { status: 500, headers: { 'content-type': 'application/json' }, body: '' }
const limited: WireAnswer = { status: 429, headers: { 'content-type': 'text/html; charset=UTF-8', 'retry-after': '1' }, body: '' }

/** The answer to each failure, by EspoCRM or by the web server in front of it. */
const FAILURES: { readonly [T in Failure]: WireAnswer } = {
  // EspoCRM has no rate limit; the web server in front of it may have one.
  'rate-limit': limited,
  // EspoCRM has no quota either; a hosting provider may have one.
  'daily-quota': { ...limited, headers: { ...limited.headers, 'retry-after': '3600' } },
  error: failed,
  // API keys do not expire; a replaced key or a disabled user is refused like this.
  'expired-session': UNAUTHORIZED,
  // A deadlock in the database is a 500 without a reason.
  'lock-row': failed,
}
