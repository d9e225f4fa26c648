import { createHash } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { CrmError, ERRORS } from '../../../contract/errors.ts'
import { single } from '../../../core/oauth/authorization.ts'
import { checkSecret, type Presenter } from '../../../core/oauth/clients.ts'
import { OAuthError } from '../../../core/oauth/errors.ts'
import type { Issued } from '../../../core/oauth/grants.ts'
import { readResource } from '../../../core/oauth/resources.ts'
import { readScopes, refuseBeyond } from '../../../core/oauth/scopes.ts'
import type { Caller } from '../../../core/service.ts'
import { addressGroup } from '../address.ts'
import { parseBody, readBody } from '../body.ts'
import type { Context } from '../context.ts'
import { asCrmError, logError, logSuccess, storeError } from '../errors.ts'
import { readForm } from '../form-body.ts'
import { createLimiter } from '../limits/limiter.ts'
import { createSharedLimiter } from '../limits/shared-limiter.ts'
import { oauthRoute } from '../oauth-handler.ts'
import { publicUrl } from '../public-url.ts'
import { PAGE_HEADERS, respond } from '../response.ts'
import { authorizationRefusedPage } from './authorization-refused-page.ts'

const MINUTE_MS = 60_000
/** Registrations and authorizations of an address, a minute. */
const MAX_REGISTRATIONS = 20
const MAX_AUTHORIZATIONS = 120
const MAX_ADDRESSES = 10_000
const MAX_METADATA_BYTES = 16_384

/** `/oauth/authorize`, `/oauth/token`, `/oauth/register` and `/oauth/revoke`: how agents and programs get tokens. */
export function oauthRoutes(app: FastifyInstance, context: Context): void {
  const { oauth, service, log } = context
  const limits = { windowMs: context.limitWindowMs ?? MINUTE_MS, names: MAX_ADDRESSES }
  const registrations = createSharedLimiter({ ...limits, allow: service.store.takeFromRateLimit, limit: MAX_REGISTRATIONS })
  const authorizations = createLimiter({ ...limits, limit: MAX_AUTHORIZATIONS })

  app.get('/oauth/authorize', (request, reply) => void authorize(request, reply.raw))

  /** Sends the browser to the consent page, or back to a program on the person's machine with what is wrong. Otherwise that is shown here. */
  async function authorize(request: FastifyRequest, raw: Parameters<typeof respond>[0]): Promise<void> {
    const facts = { requestId: request.id, route: '/oauth/authorize', started: performance.now() }
    const go = (location: string) => respond(raw, request.id, 302, 'text/plain', '', ['Location', location])
    const refuse = (error: CrmError, back?: Parameters<typeof authorizationRefusedPage>[1]) =>
      respond(raw, request.id, statusOf(error), 'text/html; charset=utf-8', authorizationRefusedPage(error.message, back), [], PAGE_HEADERS)
    try {
      const requester = addressGroup(request.ip)
      const left = authorizations.take(requester)
      if (!left.allowed) throw new CrmError('rate_limited', 'Too many requests from this address.', { retryAfter: left.reset })
      const issuer = publicUrl(context, request)
      const answered = await oauth.ask(new URLSearchParams(request.url.split('?')[1] ?? ''), issuer, requester)
      if ('ticket' in answered) {
        go(`${issuer}/#/authorize?request=${answered.ticket}`)
        logSuccess(log, facts)
      } else {
        const { error, location, site } = answered
        if (site === undefined) go(location)
        else refuse(error, { address: location, site })
        logError(log, error, facts)
      }
    } catch (thrown) {
      const error = asCrmError(thrown)
      refuse(error)
      logError(log, error, facts)
    }
  }

  oauthRoute(app, context, 'POST', '/oauth/register', async (request) => {
    const left = await registrations.take(`register:${digest(addressGroup(request.ip))}`).catch((error) => Promise.reject(storeError(service.store, error)))
    if (!left.allowed) throw new CrmError('rate_limited', 'Too many registrations from this address.', { retryAfter: left.reset })
    const body = await readBody(request.raw, MAX_METADATA_BYTES)
    const { clientId, secret, method, client } = oauth.clients.register(parseBody(body))
    return {
      status: 201,
      body: {
        client_id: clientId,
        client_id_issued_at: Math.floor(service.now().getTime() / 1000),
        ...(secret !== undefined && { client_secret: secret, client_secret_expires_at: 0 }),
        client_name: client.name,
        ...(client.address !== undefined && { client_uri: client.address }),
        redirect_uris: client.redirects,
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        token_endpoint_auth_method: method,
      },
    }
  })

  oauthRoute(app, context, 'POST', '/oauth/token', async (request) => {
    const params = await readForm(request.raw)
    const given = credentialsIn(request, params)
    const scope = single(params, 'scope')
    const resource = single(params, 'resource')
    const asked = {
      ...(scope !== undefined && { scopes: readScopes(scope) }),
      ...(resource !== undefined && { resource: readResource(publicUrl(context, request), resource) }),
      requestId: request.id,
    }
    switch (single(params, 'grant_type', true)) {
      case 'authorization_code':
        return answerOf(
          await oauth.grants.redeem(presenterOf(given), {
            code: single(params, 'code', true),
            redirect: single(params, 'redirect_uri', true),
            verifier: single(params, 'code_verifier', true),
            ...asked,
          }),
        )
      case 'refresh_token':
        return answerOf(await oauth.grants.refresh(presenterOf(given), single(params, 'refresh_token', true), asked))
      case 'client_credentials': {
        const caller = await programOf(request, given)
        const scopes = asked.scopes ?? caller.scopes
        refuseBeyond(caller.scopes, scopes)
        return answerOf(await oauth.grants.issue(caller, caller.keyId, scopes, asked.resource ?? publicUrl(context, request), request.id))
      }
      default:
        throw new OAuthError('unsupported_grant_type', 'grant_type is authorization_code, refresh_token or client_credentials.')
    }
  })

  oauthRoute(app, context, 'POST', '/oauth/revoke', async (request) => {
    const params = await readForm(request.raw)
    const given = credentialsIn(request, params)
    const isProgram = given.secret !== undefined && !oauth.clients.isKnown(given.id)
    // A token that a program was given for its key names the key as its client.
    const client = isProgram ? (await programOf(request, given)).keyId : presenterOf(given).id
    await oauth.grants.revokeToken(client, single(params, 'token', true), request.id)
    return {}
  })

  /** The client of a request, once it has given its secret where it has one. */
  function presenterOf({ id, secret }: Credentials): Presenter {
    const presenter = oauth.clients.presenter(id)
    checkSecret(presenter, secret)
    return presenter
  }

  /** The holder of a key, which is a program's client secret. */
  async function programOf(request: FastifyRequest, { id, secret }: Credentials): Promise<Caller & { readonly keyId: string }> {
    const caller = await context.signIn(`Bearer ${secret ?? ''}`, request)
    if (caller.keyId !== id || caller.resource !== undefined)
      throw new OAuthError('invalid_client', 'The client_id is the KeyID of a key, and the client_secret that key.')
    const limit = await context.checkRateLimit(caller)
    if (limit?.refusal) throw limit.refusal
    return { ...caller, keyId: id }
  }
}

/** The person in the browser is not the one to sign in as the client. */
const statusOf = (error: CrmError) => (error instanceof OAuthError ? 400 : ERRORS[error.code].status)

interface Credentials {
  readonly id: string
  readonly secret: string | undefined
}

/** The client id and secret of a request: in the Authorization header or in the form, not in both. */
function credentialsIn({ headers: { authorization } }: FastifyRequest, params: URLSearchParams): Credentials {
  const [id, secret] = [single(params, 'client_id'), single(params, 'client_secret')]
  if (authorization === undefined) return { id: id ?? single(params, 'client_id', true), secret }
  const [, encoded] = /^basic\s+([\w+/=-]+)$/i.exec(authorization) ?? []
  const parts = encoded === undefined ? [] : Buffer.from(encoded, 'base64').toString('utf8').split(':')
  if (parts.length !== 2) throw new OAuthError('invalid_client', 'The Authorization header is not Basic with a client id and secret.')
  const [name = '', password] = parts.map(decoded)
  if (secret !== undefined || (id !== undefined && id !== name)) throw new OAuthError('invalid_request', 'Give the client id and secret once.')
  return { id: name, secret: password }
}

/** Both are form-encoded inside of the header (RFC 6749, 2.3.1). */
const decoded = (part: string) => new URLSearchParams(`v=${part.replaceAll('&', '%26')}`).get('v') ?? ''

const answerOf = ({ access, refresh, expiresIn, scopes }: Issued) => ({
  body: {
    access_token: access,
    token_type: 'Bearer',
    expires_in: expiresIn,
    scope: scopes.join(' '),
    ...(refresh !== undefined && { refresh_token: refresh }),
  },
})

const digest = (text: string) => createHash('sha256').update(text).digest('base64url')
