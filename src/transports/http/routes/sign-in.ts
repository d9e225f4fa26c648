import { randomBytes } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { CrmError } from '../../../contract/errors.ts'
import { digestOf, sameDigest } from '../../../core/access/keys.ts'
import { createTickets } from '../../../core/access/tickets.ts'
import { createIssuer, type SignInRequest } from '../../../core/oidc/issuer.ts'
import { signInPerson } from '../../../core/oidc/people.ts'
import { SignInRefusal } from '../../../core/oidc/refusal.ts'
import { endSession } from '../../../core/oidc/sessions.ts'
import type { OidcSettings } from '../../../core/oidc/settings.ts'
import { isLocalHost } from '../../../helpers/local-host.ts'
import { addressGroup } from '../address.ts'
import type { Context } from '../context.ts'
import { ownCookie } from '../cookies.ts'
import { asCrmError, logError } from '../errors.ts'
import { createHandler } from '../handler.ts'
import { inSession } from '../in-session.ts'
import { isSecure, publicUrl } from '../public-url.ts'
import { JSON_TYPE, respond } from '../response.ts'
import { SESSION } from '../session-cookie.ts'
import { signInLinkRoute, signOutRoute } from './sign-in-link.ts'
import { workspaceRoutes } from './sign-in-workspaces.ts'

/** How long a person may take at the issuer. */
const SIGN_IN_MS = 600_000
/** How many an address may finish; a whole office may share one. */
const SIGN_INS_A_MINUTE = 300
/** Places in the console: a fragment never leads to another site. */
const PLACE = /^#\/[\x21-\x7e]{0,500}$/

/** Binds a sign-in to the browser in which it was started, so that its answer is of no use in another. */
const BROWSER = ownCookie('crm-sign-in')

/** What is remembered of a sign-in while the person is at the issuer. */
interface Pending extends SignInRequest {
  readonly issuer: string
  readonly address: string
  /** The digest of the cookie of the browser. */
  readonly browser: string
  readonly place: string
}

/** `GET /sign-in` says how people sign in and in which currency amounts are shown, if any; the rest is there where they do so with OpenID Connect. */
export function signInRoutes(app: FastifyInstance, context: Context): void {
  const { oidc, currency } = context
  app.get(
    '/sign-in',
    createHandler(context, async (request, reply) => {
      const session = oidc && (await sessionState(context, request))
      const answer = { Oidc: oidc ? { Name: oidc.name } : null, SignedIn: session === 'open', Currency: currency }
      // Otherwise every load of the console would count as a failed sign-in.
      const lines = session === 'ended' ? ['Set-Cookie', SESSION.set(isSecure(publicUrl(context, request)), undefined)] : []
      respond(reply.raw, request.id, 200, JSON_TYPE, JSON.stringify(answer), lines)
    }),
  )
  signInLinkRoute(app, context)
  if (!oidc) signOutRoute(app, context)
  else {
    oidcRoutes(app, context, oidc)
    workspaceRoutes(app, context)
  }
}

async function sessionState(context: Context, request: FastifyRequest): Promise<'open' | 'ended' | undefined> {
  const credentials = context.credentials(request.raw)
  if (credentials === undefined || request.headers.authorization !== undefined) return undefined
  try {
    await context.signIn(credentials, request)
    return 'open'
  } catch (error) {
    if (error instanceof CrmError && (error.code === 'unauthenticated' || error.code === 'rate_limited')) return 'ended'
    throw error
  }
}

function oidcRoutes(app: FastifyInstance, context: Context, oidc: OidcSettings): void {
  const { service, log } = context
  const issuer = createIssuer(oidc)
  const tickets = createTickets(service.store)

  const mayExchange = async (ip: string) => {
    const { granted } = await service.store.takeFromRateLimit(`oidc:${digestOf(addressGroup(ip))}`, 1, SIGN_INS_A_MINUTE, 60_000)
    return granted
  }

  /** A step of a sign-in. It ends at another address, also where it is refused: the console says why. */
  const step = (path: string, work: (request: FastifyRequest, reply: FastifyReply, address: string) => Promise<void>) =>
    // Not for HEAD, which must not use a code up.
    app.get(path, { exposeHeadRoute: false }, async (request, reply) => {
      reply.hijack()
      const address = publicUrl(context, request)
      try {
        await work(request, reply, address)
      } catch (error) {
        const { reason, detail } = error instanceof SignInRefusal ? error : new SignInRefusal('failed')
        if (error instanceof SignInRefusal) log.warn({ requestId: request.id, reason, ...(detail !== undefined && { detail }) }, 'sign-in refused')
        else logError(log, asCrmError(error), { requestId: request.id, route: path })
        redirect(reply, request.id, `${address}/?sign-in=${reason}`)
      }
    })

  step('/sign-in/oidc', async (request, reply, address) => {
    const secure = isSecure(address)
    if (!secure && !isLocalHost(address.slice('http://'.length))) throw new SignInRefusal('insecure', 'CRM_PUBLIC_URL has to be an address with https')
    const given = `#${new URLSearchParams(request.url.split('?')[1]).get('place') ?? ''}`
    const [nonce, verifier, browser] = [random(), random(), random()]
    const redirectUri = `${address}/sign-in/oidc/callback`
    const pending: Pending = { issuer: oidc.issuer, redirectUri, nonce, verifier, address, browser: digestOf(browser), place: PLACE.test(given) ? given : '' }
    const state = tickets.issue('oidc state', pending, SIGN_IN_MS)
    const location = await issuer.authorizationUrl({ redirectUri, nonce, verifier, state })
    redirect(reply, request.id, location, [BROWSER.set(secure, browser, SIGN_IN_MS / 1000)])
  })

  step('/sign-in/oidc/callback', async (request, reply, address) => {
    const parameters = new URLSearchParams(request.url.split('?')[1])
    const state = parameters.get('state') ?? ''
    const secure = isSecure(address)
    const browser = BROWSER.read(request.headers.cookie, secure)
    const pending = tickets.read<Pending>('oidc state', state)
    if (!pending) throw new SignInRefusal('expired', 'the state has expired, or is not ours')
    if (browser === undefined || !sameDigest(digestOf(browser), pending.browser)) throw new SignInRefusal('expired', 'the state is of another browser')
    // Each makes us call the issuer.
    if (!(await mayExchange(request.ip))) throw new SignInRefusal('limit')
    if (!(await tickets.redeem('oidc state', state))) throw new SignInRefusal('expired', 'the state was used already')
    if (pending.issuer !== oidc.issuer) throw new SignInRefusal('expired', 'the issuer has changed')
    const person = await issuer.exchange(parameters, { ...pending, state })
    const { secret, userId, refusals } = await signInPerson(service, oidc, person, request.id)
    log.info({ requestId: request.id, userId }, 'signed in')
    for (const { reason, detail } of refusals) log.warn({ requestId: request.id, reason, detail }, 'a workspace was left out of a sign-in')
    redirect(reply, request.id, `${pending.address}/${pending.place}`, [SESSION.set(secure, secret, oidc.sessionMs / 1000), BROWSER.set(secure, undefined)])
  })

  app.post(
    '/sign-out',
    createHandler(context, async (request, reply) => {
      const address = publicUrl(context, request)
      const idToken = await endSession(service, await inSession(context, request), request.id)
      // Signed out here even if the issuer does not answer.
      const there = await issuer.signOutUrl(idToken, `${address}/`).catch(() => undefined)
      const cookie = SESSION.set(isSecure(address), undefined)
      respond(reply.raw, request.id, 200, JSON_TYPE, JSON.stringify({ Address: there ?? null }), ['Set-Cookie', cookie])
    }),
  )
}

const random = () => randomBytes(32).toString('base64url')

function redirect(reply: FastifyReply, requestId: string, location: string, cookies: readonly string[] = []): void {
  respond(reply.raw, requestId, 303, 'text/plain', '', ['Location', location, ...cookies.flatMap((cookie) => ['Set-Cookie', cookie])])
}
