import { randomBytes } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { CrmError, ERRORS } from '../../../contract/errors.ts'
import { completeConnection } from '../../../contract/records/connection.ts'
import { execute } from '../../../core/call/execute.ts'
import {
  type AuthorizationState,
  askedBy,
  askedByLink,
  authorizationAddress,
  authorizationOf,
  digest,
  isSameBrowser,
} from '../../../core/connections/authorization.ts'
import { recordFailure } from '../../../core/connections/failed-authorization.ts'
import type { Context } from '../context.ts'
import { cookieIn } from '../cookies.ts'
import { asCrmError } from '../errors.ts'
import { createHandler } from '../handler.ts'
import { htmlPage, htmlText } from '../html-page.ts'
import { publicUrl } from '../public-url.ts'
import { PERSONAL_PAGE_HEADERS, respond } from '../response.ts'

const HTML = 'text/html; charset=utf-8'
/** The cookie with the secret of the browser that has begun an authorization, so that no other can complete it. Each visit has its own: several may be open. */
const cookieOf = ({ browser = '' }: Pick<AuthorizationState, 'browser'>) => `crm-connect-${browser.slice(0, 8)}`
const OPEN_AGAIN = 'Open the link again, or ask the admin who has sent it for another one.'
const COOKIE_SECONDS = 15 * 60
const LABELS: { readonly [platform: string]: string } = { salesforce: 'Salesforce', hubspot: 'HubSpot', espocrm: 'EspoCRM' }

type LinkRequest = FastifyRequest<{ Params: { ticket: string } }>
type CallbackRequest = FastifyRequest<{ Querystring: { [name: string]: string | undefined } }>

/**
 * `/connect/…`: the pages with which the owner of a CRM account allows a connection in. A link is opened by a button and not by being read, since
 * chats and mail programs look at links before people do.
 */
export function connectRoutes(app: FastifyInstance, context: Context): void {
  const { service } = context
  const pages = <R extends FastifyRequest>(work: (request: R, reply: FastifyReply) => Promise<void>) =>
    createHandler<R>(context, async (request, reply) => {
      try {
        await work(request, reply)
      } catch (thrown) {
        respondError(request, reply, asCrmError(thrown))
        throw thrown
      }
    })

  app.get(
    '/connect/callback',
    pages(async (request: CallbackRequest, reply) => {
      const { code, state = '', error, error_description: why } = request.query
      const known = service.tickets.read<AuthorizationState>('connect state', state)
      if (!known) throw new CrmError('not_found', 'This authorization has expired, or did not begin here.', { hint: OPEN_AGAIN })
      if (!isSameBrowser(known, cookieIn(request.headers.cookie, cookieOf(known))))
        throw new CrmError('forbidden', 'This authorization was begun in another browser.', { hint: 'Open the link in this one, and allow it here.' })
      const caller = await askedBy(service, known)
      const { result } = await completed(code, why ?? error, (Code) =>
        execute(service, { operation: completeConnection.id, input: { State: state, Code }, caller, transport: 'http', requestId: request.id }),
      ).catch(async (thrown: unknown) => {
        const refusal = asCrmError(thrown)
        // A state that was used before says nothing of the connection: the page was loaded again.
        if (!refusal.errors?.some(({ field }) => field === 'State')) await recordFailure(service, known, unnamed(refusal)).catch(() => {})
        throw thrown
      })
      const { ConnectionID, Platform, Account } = result as { readonly ConnectionID: string; readonly Platform: string; readonly Account: string | null }
      const account = Account === null ? '' : ` account <strong>${htmlText(Account)}</strong>`
      respondPage(
        request,
        reply,
        200,
        'Connected',
        `<p>The ${label(Platform)}${account} is connected. You can close this page, or <a href="../#/connections/${ConnectionID}">return to the console</a>.</p>`,
        ['Set-Cookie', `${cookieOf(known)}=; Path=/connect; Max-Age=0`],
      )
    }),
  )

  app.get(
    '/connect/:ticket',
    pages(async (request: LinkRequest, reply) => {
      const asked = await askedByLink(service, request.params.ticket)
      const { connection } = await authorizationOf(service, asked)
      const { workspace } = await askedBy(service, asked)
      const name = label(connection.Platform)
      const { link } = await authorizationAddress(service, asked, `${publicUrl(context, request)}/connect/callback`)
      respondPage(
        request,
        reply,
        200,
        `Connect ${name}`,
        `<p>An admin of the workspace <strong>${htmlText(workspace.name)}</strong> asks to be let into your ${name} account${
          connection.Address === null ? '' : ` at <strong>${htmlText(connection.Address)}</strong>`
        }, to read and change records there.</p>
<p>${name} asks you to sign in and to allow it, at <strong>${htmlText(new URL(link).host)}</strong>. This link works until the account is connected, or it expires.</p>
<form method="post"><button type="submit">Continue to ${name}</button></form>`,
      )
    }),
  )

  app.post(
    '/connect/:ticket',
    pages(async (request: LinkRequest, reply) => {
      request.raw.resume()
      const { ticket } = request.params
      const asked = await askedByLink(service, ticket)
      await askedBy(service, asked)
      const at = publicUrl(context, request)
      const secret = randomBytes(32).toString('base64url')
      const { link } = await authorizationAddress(service, asked, `${at}/connect/callback`, { ticket, secret })
      const secure = at.startsWith('https:') ? '; Secure' : ''
      respond(
        reply.raw,
        request.id,
        303,
        HTML,
        '',
        [
          'Location',
          link,
          'Set-Cookie',
          `${cookieOf({ browser: digest(secret) })}=${secret}; Path=/connect; HttpOnly; SameSite=Lax; Max-Age=${COOKIE_SECONDS}${secure}`,
        ],
        PERSONAL_PAGE_HEADERS,
      )
    }),
  )
}

/** What the code that the CRM has sent back leads to. */
async function completed<T>(code: string | undefined, why: string | undefined, complete: (code: string) => Promise<T>): Promise<T> {
  if (code !== undefined) return complete(code)
  throw new CrmError('forbidden', `The CRM did not let us in: ${why ?? 'it gave no reason'}.`)
}

const label = (platform: string) => LABELS[platform] ?? htmlText(platform)

/** The error for people who call no operation, so that neither its name nor how its input looks helps them. */
function unnamed({ code, message, hint }: CrmError): CrmError {
  return new CrmError(code, message.replace(`${completeConnection.name}: `, ''), hint === undefined || hint.includes('/v1/') ? {} : { hint })
}

function respondError(request: FastifyRequest, reply: FastifyReply, error: CrmError): void {
  const { code, message, hint = `Nothing was changed. ${OPEN_AGAIN}` } = unnamed(error)
  respondPage(request, reply, ERRORS[code].status, 'Not connected', `<p>${htmlText(message)}</p><p>${htmlText(hint)}</p>`)
}

function respondPage(request: FastifyRequest, reply: FastifyReply, status: number, title: string, body: string, more: readonly string[] = []): void {
  const page = htmlPage(`CRM Connector: ${title}`, '../docs/', `<main class="page narrow">\n<h1>${htmlText(title)}</h1>\n${body}\n</main>`)
  respond(reply.raw, request.id, status, HTML, page, more, PERSONAL_PAGE_HEADERS)
}
