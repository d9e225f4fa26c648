import { isObject } from '../../json.ts'
import type { WireAnswer, WireRequest } from '../../simulated.ts'
import { asResult, Refusal } from '../errors.ts'
import type { Org } from '../org.ts'
import { create, type Given, type Session } from '../records/records.ts'
import { bodyOf, listOf, objectOf } from './bodies.ts'

type Route = (request: WireRequest) => WireAnswer

const MOST_REQUESTS = 25
const MOST_NODES = 200

/** A request inside another, with the credentials and the headers of the outer one, beside its own. */
function inner(outer: WireRequest, method: unknown, url: string, body: unknown, more: unknown = {}): WireRequest {
  const own = Object.entries(isObject(more) ? more : {}).map(([name, value]) => [name.toLowerCase(), String(value)])
  const [path = '', ...query] = url.split('?')
  return {
    ...outer,
    method: String(method ?? 'GET').toUpperCase(),
    path: path.startsWith('/') ? path : `/services/data/${path}`,
    query: new URLSearchParams(query.join('?')),
    headers: { ...outer.headers, ...Object.fromEntries(own), 'content-type': 'application/json' },
    body: body === undefined || body === null ? '' : JSON.stringify(body),
  }
}

function requests(input: unknown, name: string): Given[] {
  const all = listOf(input, name).map(objectOf)
  if (all.length > MOST_REQUESTS) throw new Refusal(400, 'LIMIT_EXCEEDED', `The composite request limit is ${MOST_REQUESTS}: ${all.length} requests were sent`)
  if (all.length === 0) throw new Refusal(400, 'INVALID_INPUT', `${name} must not be empty`)
  return all
}

interface Part {
  readonly body: unknown
  readonly httpHeaders: { readonly [name: string]: string }
  readonly httpStatusCode: number
  readonly referenceId: string
}

const UNDONE = 'The transaction was rolled back since another operation in the same transaction failed.'

const halted = (referenceId: string, message: string): Part => ({
  body: [{ errorCode: 'PROCESSING_HALTED', message }],
  httpHeaders: {},
  httpStatusCode: 400,
  referenceId,
})

/** `/composite`: requests in order; each may refer to the answers of earlier ones. */
export function answerComposite(org: Org, request: WireRequest, route: Route): WireAnswer {
  const { allOrNone, compositeRequest } = bodyOf(request)
  const all = requests(compositeRequest, 'compositeRequest')
  const names = all.map(({ referenceId }) => String(referenceId ?? ''))
  const invalid = names.find((name, at) => !/^[A-Za-z0-9]\w*$/.test(name) || names.indexOf(name) !== at)
  if (invalid !== undefined) {
    throw new Refusal(
      400,
      'INVALID_INPUT',
      `Provided referenceId ('${invalid}') must be unique, must start with a letter or a number, and can contain only letters, numbers and underscores ('_').`,
    )
  }
  const rollback = org.savepoint()
  const answers = new Map<string, unknown>()
  const parts: Part[] = []
  for (const [at, one] of all.entries()) {
    const referenceId = names[at] ?? ''
    if (allOrNone === true && parts.some(isFailed)) {
      parts.push(halted(referenceId, UNDONE))
      continue
    }
    const part = runPart(request, one, referenceId, answers, route)
    if (!isFailed(part)) answers.set(referenceId, part.body)
    parts.push(part)
  }
  if (allOrNone !== true || !parts.some(isFailed)) return { status: 200, body: { compositeResponse: parts } }
  rollback()
  return { status: 200, body: { compositeResponse: parts.map((part) => (isFailed(part) ? part : halted(part.referenceId, UNDONE))) } }
}

const isFailed = ({ httpStatusCode }: Part) => httpStatusCode >= 300 && httpStatusCode !== 304

function runPart(
  request: WireRequest,
  { method, url, body, httpHeaders }: Given,
  referenceId: string,
  answers: ReadonlyMap<string, unknown>,
  route: Route,
): Part {
  let missing: string | undefined
  const filled = (text: string) =>
    text.replace(/@\{([^}]*)\}/g, (_whole, path: string) => {
      const value = followed(answers, path)
      if (value === undefined) missing = path
      return String(value)
    })
  const filledDeep = (value: unknown): unknown => {
    if (typeof value === 'string') return filled(value)
    if (Array.isArray(value)) return value.map(filledDeep)
    if (!isObject(value)) return value
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, filledDeep(one)]))
  }
  const made = inner(request, method, filled(String(url ?? '')), filledDeep(body), httpHeaders)
  if (missing !== undefined) return halted(referenceId, `Invalid reference specified. No value for ${missing} found in ${missing.split(/[.[]/)[0]}`)
  if (/\/composite(?:\/?$|\/(?:batch|graph))/.test(made.path)) return halted(referenceId, 'Composite requests can not be nested.')
  const answer = route(made)
  const location =
    made.method === 'POST' && answer.status === 201 ? `${made.path.replace(/\/$/, '')}/${(answer.body as { readonly id?: string }).id}` : undefined
  return { body: answer.body ?? null, httpHeaders: location ? { Location: location } : {}, httpStatusCode: answer.status, referenceId }
}

/** Resolves a reference such as `ref.records[0].Id`. */
function followed(answers: ReadonlyMap<string, unknown>, path: string): unknown {
  const [name = '', ...rest] = path.split(/\.|\[|\]\.?/).filter((part) => part !== '')
  return rest.reduce<unknown>(
    (value, part) => (typeof value === 'object' && value !== null && Object.hasOwn(value, part) ? (value as Given)[part] : undefined),
    answers.get(name),
  )
}

/** `/composite/batch`: independent requests. */
export function answerBatch(request: WireRequest, route: Route): WireAnswer {
  const { haltOnError, batchRequests } = bodyOf(request)
  const results: { readonly statusCode: number; readonly result: unknown }[] = []
  for (const { method, url, richInput } of requests(batchRequests, 'batchRequests')) {
    if (haltOnError === true && results.some(({ statusCode }) => statusCode >= 400)) {
      results.push({ statusCode: 412, result: [{ errorCode: 'BATCH_PROCESSING_HALTED', message: 'Batch processing halted per request' }] })
      continue
    }
    const made = inner(request, method, String(url ?? ''), richInput)
    const { status, body = null } = /\/composite\b/.test(made.path)
      ? new Refusal(400, 'INVALID_INPUT', 'Batch requests can not be nested.').answer()
      : route(made)
    results.push({ statusCode: status, result: body })
  }
  return { status: 200, body: { hasErrors: results.some(({ statusCode }) => statusCode >= 400), results } }
}

/** `/composite/tree/X`: records with their child records, all or none. */
export function answerTree(org: Org, session: Session, request: WireRequest, type: string): WireAnswer {
  const results: { referenceId: string; id?: string; errors?: readonly unknown[] }[] = []
  let nodes = 0
  const createNode = (name: string, input: unknown, dependent: Given): void => {
    const given = objectOf(input)
    const { attributes, ...rest } = given
    const referenceId = String((attributes as Given | undefined)?.referenceId ?? '')
    if (++nodes > MOST_NODES) throw new Refusal(400, 'INVALID_INPUT', `No more than ${MOST_NODES} records can be created`)
    const object = org.objectAt(name)
    const own = Object.entries(rest).filter(([, value]) => !isTree(value))
    try {
      const id = create(org, session, object, { ...Object.fromEntries(own), ...dependent })
      results.push({ referenceId, id })
      for (const [relationship, value] of Object.entries(rest)) {
        if (!isTree(value)) continue
        const child = org.schema.children(object).find(({ field }) => field.childRelationship?.toLowerCase() === relationship.toLowerCase())
        if (!child) throw new Refusal(400, 'INVALID_FIELD', `No such relation '${relationship}' on sobject of type ${object.name}`)
        for (const one of value.records) createNode(child.object.name, one, { [child.field.name]: id })
      }
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      results.push({ referenceId, errors: asResult(error).errors })
    }
  }
  const rollback = org.savepoint()
  for (const one of listOf(bodyOf(request).records, 'records')) createNode(type, one, {})
  const failed = results.filter(({ errors }) => errors)
  if (failed.length === 0) return { status: 201, body: { hasErrors: false, results } }
  rollback()
  return { status: 400, body: { hasErrors: true, results: failed } }
}

const isTree = (value: unknown): value is { readonly records: unknown[] } => isObject(value) && Array.isArray(value.records)
