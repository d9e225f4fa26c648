import type { Simulate, Trouble, WireAnswer, WireRequest } from '../simulated.ts'
import { Access } from './access.ts'
import { settingsFor } from './app/settings.ts'
import { language } from './customization/metadata.ts'
import { answerTo, EspoError } from './errors.ts'
import { route } from './routes.ts'
import { shapeOf } from './scopes/attributes.ts'
import { addAdministrator, signedIn } from './sign-in.ts'
import { Store } from './store.ts'

/** Any version is taken, and an installation in a folder, too. */
const PATH = /^(?:\/[^/]+)*?\/api\/v\d+(\/.*)?$/

const EMPTY: WireAnswer = { status: 404, headers: { 'content-type': 'text/html; charset=UTF-8' }, body: '' }
const UNAUTHORIZED: WireAnswer = { ...EMPTY, status: 401 }

/** EspoCRM 8.4 on PostgreSQL, as its API shows it. */
export const simulateEspoCrm: Simulate = (world) => {
  let store = new Store(world)
  let startedAt = store.now()
  addAdministrator(store)

  function answer(request: WireRequest): WireAnswer {
    const resource = PATH.exec(request.path)?.[1]
    const path = resource === undefined ? undefined : namesIn(resource)
    if (resource === undefined || !path) return EMPTY
    const method = methodOf(request)
    try {
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

  /** What anybody may read, so that they can sign in. */
  function withoutSigningIn(request: WireRequest, what: string): WireAnswer {
    const headers = { 'content-type': 'application/json' }
    if (what === 'GET I18n') return { status: 200, headers, body: language(store) }
    const { origin } = request
    if (what === 'GET Settings') return { status: 200, headers, body: settingsFor(undefined, { origin, startedAt, now: store.now(), custom: [] }) }
    return UNAUTHORIZED
  }

  return {
    answer,
    trouble: (trouble) => TROUBLES[trouble],
    // API keys are all there is: nobody signs in to get a session.
    isSignIn: () => false,
    isWrite: (request) => !/^(?:GET|HEAD)$/.test(methodOf(request)),
    knows(name, field) {
      const scope = store.scopes.get(name)
      return scope !== undefined && (Object.hasOwn(scope.fields, field) || shapeOf(scope).attributes.has(field))
    },
    reset() {
      store = new Store(world)
      startedAt = store.now()
      addAdministrator(store)
    },
    state: () => ({ records: store.counts(), custom: store.customScopes() }),
  }
}

const methodOf = ({ method, headers }: WireRequest) => (method === 'POST' ? (headers['x-http-method-override']?.toUpperCase() ?? method) : method)

function namesIn(resource: string): string[] | undefined {
  try {
    return resource
      .split('/')
      .slice(1)
      .filter((name, at, all) => name !== '' || at < all.length - 1)
      .map(decodeURIComponent)
  } catch {
    return undefined
  }
}

const failed: WireAnswer = { status: 500, headers: { 'content-type': 'application/json' }, body: '' }
const limited: WireAnswer = { status: 429, headers: { 'content-type': 'text/html; charset=UTF-8', 'retry-after': '1' }, body: '' }

/** How EspoCRM, or what stands before it, says that something is wrong. */
const TROUBLES: { readonly [T in Trouble]: WireAnswer } = {
  // EspoCRM itself limits nothing; the web server before it does.
  'rate-limit': limited,
  // Nor has it a quota: a provider that has one answers as for any other limit, only for longer.
  'daily-quota': { ...limited, headers: { ...limited.headers, 'retry-after': '3600' } },
  error: failed,
  // API keys do not expire. A key that is being replaced or a user who is disabled is refused like this, and the next request may pass.
  'expired-session': UNAUTHORIZED,
  // EspoCRM locks nothing that it would tell of; the database gives one of two transactions up, and no reason reaches the client.
  'lock-row': failed,
}
