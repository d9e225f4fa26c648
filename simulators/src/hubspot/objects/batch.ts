import { isObject, type Json } from '../../json.ts'
import type { WireAnswer } from '../../simulated.ts'
import { bodyOf, type Call, type Handler, listIn, nothing, textIn, textsOf, typeOf } from '../call.ts'
import { invalid, missingFields, Refusal } from '../errors.ts'
import type { ObjectType } from '../portal.ts'
import { instant } from '../properties/values.ts'
import { lookUp } from './objects.ts'
import { chosen, everything, shown } from './presentation.ts'
import { type Prepared, prepareCreate, prepareUpdate } from './writes.ts'

const MOST = 100

export function inputsOf(call: Call, most = MOST): Json[] {
  const body = bodyOf(call, ['inputs'])
  const inputs = listIn(body, 'inputs') ?? []
  if (inputs.length > most) throw invalid(`The batch has ${inputs.length} inputs; at most ${most} are allowed.`)
  return inputs.map((input) => {
    if (!isObject(input)) throw missingFields(['id'])
    return input
  })
}

/** The answer to a batch: 207 if any input failed. */
export function batchAnswer(call: Call, status: number, results: readonly unknown[], errors: readonly object[]): WireAnswer {
  const now = instant(call.portal.now())
  const body = { status: 'COMPLETE', results, ...(errors.length > 0 && { numErrors: errors.length, errors }), startedAt: now, completedAt: now }
  return { status: errors.length > 0 ? 207 : status, body }
}

function errorOf({ message, members }: Refusal, context: { readonly [name: string]: readonly string[] }): object {
  return { status: 'error', category: 'VALIDATION_ERROR', message, ...members, context: { ...(members.context as object), ...context } }
}

function missing(type: ObjectType, ids: readonly string[], trace: readonly string[] = []): object {
  const message = `Could not get some ${type.singular.toUpperCase()} objects, they may be deleted or not exist. Check that ids are valid.`
  return { status: 'error', category: 'OBJECT_NOT_FOUND', message, context: { ids, ...(trace.length > 0 && { objectWriteTraceId: trace }) } }
}

interface Step {
  /** The objectWriteTraceId of the input. */
  readonly trace: string | undefined
  readonly prepare: () => { readonly prepared: Prepared; readonly extra?: object } | { readonly gone: string }
}

/**
 * Runs a batch of writes. If every input has an objectWriteTraceId, inputs fail on their own and the errors are listed beside the results.
 * Otherwise any error refuses the whole batch, except that missing records are skipped.
 */
function runBatch(call: Call, type: ObjectType, status: number, steps: readonly Step[]): WireAnswer {
  const { portal } = call
  const alone = steps.length > 0 && steps.every(({ trace }) => trace !== undefined)
  const errors: object[] = []
  const ready: { readonly prepared: Prepared; readonly extra?: object; readonly trace: string | undefined }[] = []
  const gone: string[] = []
  for (const { trace, prepare } of steps) {
    try {
      const step = prepare()
      if (!('gone' in step)) ready.push({ ...step, trace })
      else if (alone) errors.push(missing(type, [step.gone], trace === undefined ? [] : [trace]))
      else gone.push(step.gone)
    } catch (error) {
      if (!alone || !(error instanceof Refusal)) throw error
      errors.push(errorOf(error, { objectWriteTraceId: [trace as string] }))
    }
  }
  if (gone.length > 0) errors.push(missing(type, gone))
  const results = ready.map(({ prepared, extra, trace }) => {
    const record = prepared.commit()
    const names = everything(portal, type, record, prepared.sent)
    return { ...shown(portal, type, record, names), ...(trace !== undefined && { objectWriteTraceId: trace }), ...extra }
  })
  return batchAnswer(call, status, results, errors)
}

export const createMany: Handler = (call) => {
  const type = typeOf(call)
  const claims = new Set<string>()
  const steps = inputsOf(call).map((input) => ({
    trace: textIn(input, 'objectWriteTraceId'),
    prepare: () => ({ prepared: prepareCreate(call.portal, type, input, claims) }),
  }))
  return runBatch(call, type, 201, steps)
}

export const updateMany: Handler = (call) => {
  const type = typeOf(call)
  const inputs = inputsOf(call)
  const ids = idsOf(inputs)
  const claims = new Set<string>()
  const steps = inputs.map((input, index) => ({
    trace: textIn(input, 'objectWriteTraceId'),
    prepare: () => {
      const id = ids[index] as string
      const record = lookUp(type, id, textIn(input, 'idProperty'))
      return record ? { prepared: prepareUpdate(call.portal, type, record, input, claims) } : { gone: id }
    },
  }))
  return runBatch(call, type, 200, steps)
}

/** Updates the record with the value in `idProperty`, or creates it. */
export const upsertMany: Handler = (call) => {
  const type = typeOf(call)
  const inputs = inputsOf(call)
  const ids = idsOf(inputs)
  const claims = new Set<string>()
  const steps = inputs.map((input, index) => ({
    trace: textIn(input, 'objectWriteTraceId'),
    prepare: () => {
      const id = ids[index] as string
      const idProperty = textIn(input, 'idProperty')
      const record = lookUp(type, id, idProperty)
      if (record) return { prepared: prepareUpdate(call.portal, type, record, input, claims), extra: { new: false } }
      if (!idProperty || idProperty === 'hs_object_id') return { gone: id }
      const properties = { ...(isObject(input.properties) ? input.properties : {}), [idProperty]: id }
      return { prepared: prepareCreate(call.portal, type, { properties }, claims), extra: { new: true } }
    },
  }))
  return runBatch(call, type, 200, steps)
}

/** The ids of a batch; duplicates are refused. */
function idsOf(inputs: readonly Json[]): string[] {
  const ids = inputs.map((input) => {
    const id = textIn(input, 'id')
    if (id === undefined) throw missingFields(['id'])
    return id
  })
  const twice = ids.filter((id, index) => ids.indexOf(id) !== index)
  if (twice.length > 0) throw invalid(`Duplicate IDs found in batch input: [${[...new Set(twice)].join(', ')}]. IDs must be unique`)
  return ids
}

export const archiveMany: Handler = (call) => {
  const { portal } = call
  const type = typeOf(call)
  for (const input of inputsOf(call)) {
    const record = type.records.live(textIn(input, 'id') ?? '')
    if (record) type.records.archive(record, portal.moment())
  }
  return nothing
}

/** Missing records are left out of the results and listed as errors. */
export const readMany: Handler = (call) => {
  const { portal, request } = call
  const type = typeOf(call)
  const body = bodyOf(call, ['inputs'])
  const names = chosen(portal, type, textsOf(listIn(body, 'properties') ?? []))
  const idProperty = textIn(body, 'idProperty')
  const archived = request.query.get('archived') === 'true'
  const gone: string[] = []
  const seen = new Set<string>()
  const results = inputsOf(call).flatMap((input) => {
    const id = textIn(input, 'id')
    if (id === undefined) throw missingFields(['id'])
    const record = lookUp(type, id, idProperty, archived)
    if (!record) gone.push(id)
    if (!record || seen.has(record.id)) return []
    seen.add(record.id)
    return [shown(portal, type, record, names)]
  })
  return batchAnswer(call, 200, results, gone.length > 0 ? [missing(type, gone)] : [])
}
