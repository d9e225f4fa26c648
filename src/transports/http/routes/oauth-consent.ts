import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { CrmError, type Fault } from '../../../contract/errors.ts'
import { LIMITS } from '../../../contract/limits.ts'
import { CONFIRMABLE, type Confirm } from '../../../contract/records/plan.ts'
import type { Caller } from '../../../core/service.ts'
import { parseBody, readBody } from '../body.ts'
import type { Context } from '../context.ts'
import { createHandler } from '../handler.ts'
import { enforceRateLimit } from '../limits/rate-limit.ts'
import { JSON_TYPE, respond } from '../response.ts'

const MAX_BYTES = 65_536

interface Input {
  readonly Request: string
  readonly Allow: boolean
  readonly Workspace?: string
  readonly Scopes?: readonly string[]
  readonly Confirm?: boolean | Confirm
  readonly KeyID: string
}

/**
 * `/oauth/question` and `/oauth/consent`: what the consent page of the console shows and sends; `/oauth/granted` and `/oauth/withdraw`: what a person has
 * granted, and its end. All need the credentials of the person in a header, which no page of another origin can send.
 */
export function oauthConsentRoutes(app: FastifyInstance, context: Context): void {
  const { oauth } = context

  route('/oauth/question', async (caller, input) => oauth.question(caller, read(input, { Request: isText }).Request))

  route('/oauth/consent', async (caller, input, requestId) => {
    const members = { Request: isText, Allow: isBoolean, Workspace: isName, Scopes: isList, Confirm: isConfirm }
    const { Request, Allow, Workspace: workspace, Scopes: scopes = [], Confirm: given = true } = read(input, members)
    const confirm = typeof given === 'string' ? given : given ? CONFIRMABLE[0] : null
    const location = Allow ? await oauth.allow(caller, Request, { workspace, scopes, confirm }, requestId) : await oauth.deny(caller, Request)
    return { Location: location }
  })

  route('/oauth/granted', async (caller) => ({ Granted: await oauth.granted(caller) }))

  route('/oauth/withdraw', async (caller, input, requestId) => {
    const { KeyID } = read(input, { KeyID: isText })
    await oauth.withdraw(caller, KeyID, requestId)
    return { KeyID }
  })

  function route(url: string, answer: (caller: Caller, input: unknown, requestId: string) => Promise<object>): void {
    app.post(
      url,
      createHandler(context, async (request: FastifyRequest, reply: FastifyReply) => {
        const caller = await context.signIn(context.credentials(request.raw), request)
        await enforceRateLimit(context, reply.raw, caller)
        const input = parseBody(await readBody(request.raw, MAX_BYTES))
        respond(reply.raw, request.id, 200, JSON_TYPE, JSON.stringify(await answer(caller, input, request.id)))
      }),
    )
  }
}

const isText = (value: unknown) => typeof value === 'string'
const isName = (value: unknown) => value === undefined || isText(value)
const isBoolean = (value: unknown) => typeof value === 'boolean'
/** `true` is the least that confirms. */
const isConfirm = (value: unknown) => value === undefined || isBoolean(value) || CONFIRMABLE.some((one) => one === value)
const isList = (value: unknown) => value === undefined || (Array.isArray(value) && value.length <= LIMITS.list && value.every(isText))

function read(input: unknown, members: { readonly [N in keyof Input]?: (value: unknown) => boolean }): Input {
  const given = Object(input) as { readonly [name: string]: unknown }
  const faults = Object.entries(members).flatMap(([field, fits]): Fault[] =>
    fits(given[field]) ? [] : [{ field, code: 'type', message: `${field} is missing or of another type.` }],
  )
  if (faults[0]) throw new CrmError('invalid_input', faults.map(({ message }) => message).join(' '), { errors: faults })
  return given as unknown as Input
}
