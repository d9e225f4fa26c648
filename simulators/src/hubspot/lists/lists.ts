import type { Json } from '../../json.ts'
import { bodyOf, type Call, type Handler, listIn, namesIn, nothing, ok, textIn, textsOf } from '../call.ts'
import { invalid, objectNotFound } from '../errors.ts'
import type { Portal } from '../portal.ts'
import { instant } from '../properties/values.ts'
import type { List } from './list.ts'

const PROCESSING_TYPES = ['MANUAL', 'DYNAMIC', 'SNAPSHOT']

/** Archived members are not counted. */
export function sizeOf(portal: Portal, list: List): number {
  const { records } = portal.typeWithId(list.objectTypeId)
  let size = 0
  for (const id of list.members.keys()) if (records.live(id)) size++
  return size
}

function shownBriefly(portal: Portal, list: List): object {
  const userId = String(portal.owners[0]?.userId)
  return {
    listId: list.listId,
    listVersion: list.version,
    name: list.name,
    objectTypeId: list.objectTypeId,
    processingType: list.processingType,
    processingStatus: 'COMPLETE',
    createdById: userId,
    updatedById: userId,
    createdAt: instant(list.createdAt),
    updatedAt: instant(list.updatedAt),
    filtersUpdatedAt: instant(list.createdAt),
    ...(list.deletedAt !== undefined && { deletedAt: instant(list.deletedAt) }),
  }
}

function shownList({ portal, request }: Call, list: List): object {
  const withFilters = request.query.get('includeFilters') === 'true' && list.filterBranch !== undefined
  return { ...shownBriefly(portal, list), size: sizeOf(portal, list), ...(withFilters && { filterBranch: list.filterBranch }) }
}

export function listOf(call: Call): List {
  const found = call.portal.lists.get(call.param('list'))
  if (!found || found.deletedAt !== undefined) throw noList(call.param('list'))
  return found
}

function noList(what: string) {
  return objectNotFound(`List does not exist with ID ${what}.`, { subCategory: 'ILS.LIST_NOT_FOUND', context: { listId: [what] } })
}

export const createList: Handler = (call) => {
  const { portal } = call
  const body = bodyOf(call, ['name', 'objectTypeId', 'processingType'])
  const name = textIn(body, 'name') as string
  const { id: objectTypeId } = portal.type(textIn(body, 'objectTypeId') as string)
  const processingType = textIn(body, 'processingType') as string
  if (!PROCESSING_TYPES.includes(processingType)) throw invalid(`${processingType} is not one of the processing types ${PROCESSING_TYPES.join(', ')}.`)
  if (processingType === 'DYNAMIC' && !body.filterBranch) throw invalid('A list that is processed dynamically needs a filterBranch.')
  mustBeNew(portal, objectTypeId, name)
  const now = portal.now()
  const listId = String(portal.nextNumber())
  const list = {
    listId,
    name,
    objectTypeId,
    processingType,
    filterBranch: body.filterBranch,
    createdAt: now,
    updatedAt: now,
    version: 1,
    deletedAt: undefined,
    members: new Map(),
  }
  portal.lists.set(listId, list)
  return ok({ list: shownList(call, list) })
}

function mustBeNew({ lists }: Portal, objectTypeId: string, name: string, except?: List): void {
  const same = (list: List) =>
    list !== except && list.deletedAt === undefined && list.objectTypeId === objectTypeId && list.name.toLowerCase() === name.toLowerCase()
  if (name.trim() === '') throw invalid('The name of a list cannot be empty.')
  if ([...lists.values()].some(same))
    throw invalid(`A list named '${name}' already exists.`, { subCategory: 'ILS.DUPLICATE_LIST_NAMES', context: { name: [name] } })
}

export const getList: Handler = (call) => ok({ list: shownList(call, listOf(call)) })

export const getListByName: Handler = (call) => {
  const { id } = call.portal.type(call.param('type'))
  const name = call.param('name').toLowerCase()
  const found = [...call.portal.lists.values()].find((list) => list.deletedAt === undefined && list.objectTypeId === id && list.name.toLowerCase() === name)
  if (!found) throw noList(call.param('name'))
  return ok({ list: shownList(call, found) })
}

export const getLists: Handler = (call) => {
  const lists = namesIn(call, 'listIds').flatMap((id) => call.portal.lists.get(id) ?? [])
  return ok({ lists: lists.filter(({ deletedAt }) => deletedAt === undefined).map((list) => shownList(call, list)) })
}

export const renameList: Handler = (call) => {
  const list = listOf(call)
  const name = call.request.query.get('listName') ?? ''
  mustBeNew(call.portal, list.objectTypeId, name, list)
  return ok({ updatedList: shownList(call, change(call, list, { name })) })
}

function change({ portal }: Call, list: List, members: Partial<List>): List {
  const after = { ...list, updatedAt: portal.now(), version: list.version + 1, ...members }
  portal.lists.set(list.listId, after)
  return after
}

export const deleteList: Handler = (call) => {
  change(call, listOf(call), { deletedAt: call.portal.now() })
  return nothing
}

export const restoreList: Handler = (call) => {
  const found = call.portal.lists.get(call.param('list'))
  if (!found) throw noList(call.param('list'))
  if (found.deletedAt !== undefined) change(call, found, { deletedAt: undefined })
  return nothing
}

const wholeIn = (body: Json, name: string, fallback: number, most: number): number => {
  const value = body[name] ?? fallback
  if (!Number.isInteger(value) || (value as number) < 0 || (value as number) > most) throw invalid(`${name} must be a whole number of at most ${most}.`)
  return value as number
}

/** Properties that are answered on request, as texts. */
const ADDITIONAL: { readonly [name: string]: (portal: Portal, list: List) => string } = {
  hs_list_size: (portal, list) => String(sizeOf(portal, list)),
  hs_list_reference_count: () => '0',
  hs_last_record_added_at: (_portal, list) => String(Math.max(0, ...[...list.members.values()].slice(-1).map(({ since }) => since))),
}

export const searchLists: Handler = (call) => {
  const { portal } = call
  const body = bodyOf(call)
  const offset = wholeIn(body, 'offset', 0, Number.MAX_SAFE_INTEGER)
  const count = wholeIn(body, 'count', 20, 500)
  const query = textIn(body, 'query')?.toLowerCase() ?? ''
  const types = textsOf(listIn(body, 'processingTypes') ?? [])
  const ids = textsOf(listIn(body, 'listIds') ?? [])
  const objectTypeId = textIn(body, 'objectTypeId')
  const wanted = textsOf(listIn(body, 'additionalProperties') ?? [])
  const found = [...portal.lists.values()].filter(
    (list) =>
      list.deletedAt === undefined &&
      list.name.toLowerCase().includes(query) &&
      (types.length === 0 || types.includes(list.processingType)) &&
      (ids.length === 0 || ids.includes(list.listId)) &&
      (objectTypeId === undefined || list.objectTypeId === objectTypeId),
  )
  const lists = found.slice(offset, offset + count).map((list) => {
    const additional = wanted.flatMap((name) => (Object.hasOwn(ADDITIONAL, name) ? [[name, ADDITIONAL[name]?.(portal, list)]] : []))
    return { ...shownBriefly(portal, list), additionalProperties: Object.fromEntries(additional) }
  })
  return ok({ total: found.length, offset: offset + lists.length, hasMore: offset + lists.length < found.length, lists })
}
