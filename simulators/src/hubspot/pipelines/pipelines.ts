import { isObject, type Json } from '../../json.ts'
import { bodyOf, type Call, created, type Handler, listIn, ok, textIn } from '../call.ts'
import { invalid, notFound, unreadable } from '../errors.ts'
import type { Portal } from '../portal.ts'
import { instant } from '../properties/values.ts'
import type { Pipeline, Stage } from './standard-pipelines.ts'

function pipelinesOf({ portal, param }: Call): Pipeline[] {
  const type = portal.type(param('type'))
  if (!type.pipelines) throw invalid(`Object type ${type.id} does not have pipelines.`)
  return type.pipelines
}

function pipelineOf(call: Call): Pipeline {
  const found = pipelinesOf(call).find(({ id }) => id === call.param('pipeline'))
  if (!found) throw notFound()
  return found
}

const times = (createdAt: number) => ({ createdAt: instant(createdAt), updatedAt: instant(createdAt), archived: false })

const shownStage = ({ createdAt, ...stage }: Stage) => ({ ...stage, ...times(createdAt), writePermissions: 'CRM_PERMISSIONS_ENFORCEMENT' })

const shownPipeline = ({ createdAt, stages, ...pipeline }: Pipeline) => ({ ...pipeline, stages: stages.map(shownStage), ...times(createdAt) })

export const listPipelines: Handler = (call) => ok({ results: pipelinesOf(call).map(shownPipeline) })

export const getPipeline: Handler = (call) => ok(shownPipeline(pipelineOf(call)))

export const listStages: Handler = (call) => ok({ results: pipelineOf(call).stages.map(shownStage) })

export const getStage: Handler = (call) => {
  const found = pipelineOf(call).stages.find(({ id }) => id === call.param('stage'))
  if (!found) throw notFound()
  return ok(shownStage(found))
}

function stageIn(portal: Portal, input: unknown): Stage {
  if (!isObject(input)) throw unreadable('Cannot construct instance of `PipelineStageInput`')
  const label = textIn(input, 'label')
  if (label === undefined || !isObject(input.metadata)) throw invalid('A pipeline stage needs a label and metadata.')
  const metadata = Object.fromEntries(Object.entries(input.metadata).map(([name, value]) => [name, String(value)]))
  return { id: textIn(input, 'stageId') ?? newId(portal), label, displayOrder: orderIn(input), metadata, createdAt: portal.now() }
}

const newId = (portal: Portal) => String(990_000_000 + portal.nextNumber())

const orderIn = (input: Json) => (typeof input.displayOrder === 'number' ? input.displayOrder : 0)

export const createStage: Handler = (call) => {
  const { stages } = pipelineOf(call)
  const stage = stageIn(call.portal, bodyOf(call))
  if (stages.some(({ id }) => id === stage.id)) throw invalid(`There is already a stage with the id ${stage.id}.`)
  stages.push(stage)
  return created(shownStage(stage))
}

export const createPipeline: Handler = (call) => {
  const { portal } = call
  const pipelines = pipelinesOf(call)
  const body = bodyOf(call, ['label', 'displayOrder', 'stages'])
  const stages = (listIn(body, 'stages') ?? []).map((input) => stageIn(portal, input))
  const id = textIn(body, 'pipelineId') ?? newId(portal)
  if (stages.length === 0) throw invalid('A pipeline needs at least one stage.')
  if (pipelines.some((one) => one.id === id)) throw invalid(`There is already a pipeline with the id ${id}.`)
  const pipeline = { id, label: textIn(body, 'label') as string, displayOrder: orderIn(body), stages, createdAt: portal.now() }
  pipelines.push(pipeline)
  return created(shownPipeline(pipeline))
}
