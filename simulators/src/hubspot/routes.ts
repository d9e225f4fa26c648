import { accountDetails, dailyUsage } from './account.ts'
import {
  archiveAssociated,
  archiveLabels,
  associateAs,
  associateDefault,
  createAssociated,
  createAssociated3,
  createAssociatedDefault,
  createAssociationType,
  dissociate,
  listAssociated,
  listLabels,
  readAssociated,
  readAssociated3,
} from './associations/associations.ts'
import type { Handler } from './call.ts'
import { createList, deleteList, getList, getListByName, getLists, renameList, restoreList, searchLists } from './lists/lists.ts'
import { addMembers, changeMembers, clearMembers, listMembers, listMembersByTime, listsOfRecord, removeMembers } from './lists/memberships.ts'
import { archiveMany, createMany, readMany, updateMany, upsertMany } from './objects/batch.ts'
import { mergeTwo } from './objects/merge.ts'
import { archiveOne, createOne, gdprDelete, getOne, listAll, updateOne } from './objects/objects.ts'
import { archiveSchema, createSchema, getSchema, listSchemas, updateSchema } from './objects/schemas.ts'
import { createOwner, getOwner, listOwners } from './owners.ts'
import { createPipeline, createStage, getPipeline, getStage, listPipelines, listStages } from './pipelines/pipelines.ts'
import {
  archiveProperty,
  createGroup,
  createProperties,
  createProperty,
  getGroup,
  getProperty,
  listGroups,
  listProperties,
  readProperties,
  updateProperty,
} from './properties/properties.ts'
import { createRule } from './properties/rules.ts'
import { search } from './search/search.ts'
import { authorize } from './sign-in/authorize.ts'
import { createToken, deleteRefreshToken, getAccessToken, getPrivateToken, getRefreshToken, introspectToken, revokeToken } from './sign-in/tokens.ts'

/** Paths without their version, which is in different places. The first match wins. */
const ROUTES: { readonly [route: string]: Handler } = {
  'GET oauth/authorize': authorize,
  'POST oauth/authorize': authorize,
  'POST oauth/token': createToken,
  'POST oauth/token/introspect': introspectToken,
  'POST oauth/token/revoke': revokeToken,
  'GET oauth/access-tokens/:token': getAccessToken,
  'GET oauth/refresh-tokens/:token': getRefreshToken,
  'DELETE oauth/refresh-tokens/:token': deleteRefreshToken,
  'POST oauth/private-apps/get/access-token-info': getPrivateToken,
  'GET account-info/details': accountDetails,
  'GET account-info/api-usage/daily/private-apps': dailyUsage,

  'POST objects/:type/search': search,
  'POST objects/:type/batch/create': createMany,
  'POST objects/:type/batch/read': readMany,
  'POST objects/:type/batch/update': updateMany,
  'POST objects/:type/batch/upsert': upsertMany,
  'POST objects/:type/batch/archive': archiveMany,
  'POST objects/:type/gdpr-delete': gdprDelete,
  'POST objects/:type/merge': mergeTwo,
  'PUT objects/:from/:id/associations/default/:to/:toId': associateDefault,
  'GET objects/:from/:id/associations/:to': listAssociated,
  'PUT objects/:from/:id/associations/:to/:toId': associateAs,
  'DELETE objects/:from/:id/associations/:to/:toId': dissociate,
  'GET objects/:type': listAll,
  'POST objects/:type': createOne,
  'GET objects/:type/:id': getOne,
  'PATCH objects/:type/:id': updateOne,
  'DELETE objects/:type/:id': archiveOne,

  'POST associations/:from/:to/batch/read': readAssociated,
  'POST associations/:from/:to/batch/create': createAssociated,
  'POST associations/:from/:to/batch/associate/default': createAssociatedDefault,
  'POST associations/:from/:to/batch/archive': archiveAssociated,
  'POST associations/:from/:to/batch/labels/archive': archiveLabels,
  'GET associations/:from/:to/labels': listLabels,
  'POST associations-v3/:from/:to/batch/read': readAssociated3,
  'POST associations-v3/:from/:to/batch/create': createAssociated3,
  'POST associations-v3/:from/:to/batch/archive': archiveAssociated,
  'GET associations-v3/:from/:to/types': listLabels,

  'POST property-rules/:type': createRule,
  'GET properties/:type/groups': listGroups,
  'POST properties/:type/groups': createGroup,
  'GET properties/:type/groups/:name': getGroup,
  'POST properties/:type/batch/create': createProperties,
  'POST properties/:type/batch/read': readProperties,
  'GET properties/:type': listProperties,
  'POST properties/:type': createProperty,
  'GET properties/:type/:name': getProperty,
  'PATCH properties/:type/:name': updateProperty,
  'DELETE properties/:type/:name': archiveProperty,

  'GET schemas': listSchemas,
  'POST schemas': createSchema,
  'GET schemas/:type': getSchema,
  'PATCH schemas/:type': updateSchema,
  'DELETE schemas/:type': archiveSchema,
  'POST schemas/:type/associations': createAssociationType,

  'GET pipelines/:type': listPipelines,
  'POST pipelines/:type': createPipeline,
  'GET pipelines/:type/:pipeline': getPipeline,
  'GET pipelines/:type/:pipeline/stages': listStages,
  'POST pipelines/:type/:pipeline/stages': createStage,
  'GET pipelines/:type/:pipeline/stages/:stage': getStage,

  'GET owners': listOwners,
  'POST owners': createOwner,
  'GET owners/:id': getOwner,

  'GET lists': getLists,
  'POST lists': createList,
  'POST lists/search': searchLists,
  'GET lists/records/:type/:id/memberships': listsOfRecord,
  'GET lists/object-type-id/:type/name/:name': getListByName,
  'GET lists/:list': getList,
  'DELETE lists/:list': deleteList,
  'PUT lists/:list/restore': restoreList,
  'PUT lists/:list/update-list-name': renameList,
  'GET lists/:list/memberships': listMembers,
  'DELETE lists/:list/memberships': clearMembers,
  'GET lists/:list/memberships/join-order': listMembersByTime,
  'PUT lists/:list/memberships/add': addMembers,
  'PUT lists/:list/memberships/remove': removeMembers,
  'PUT lists/:list/memberships/add-and-remove': changeMembers,
}

const TABLE = Object.entries(ROUTES).map(([route, handler]) => {
  const [method = '', pattern = ''] = route.split(' ')
  return { method, pattern: pattern.split('/'), handler }
})

const VERSION = /^(?:v\d+|\d{4}-\d{2}(?:-beta)?)$/

/**
 * The segments of a path without the version: /crm/v3/objects/deals, /crm/objects/v3/deals and /crm/objects/2026-03/deals are equivalent.
 * Only associations differ in version 3. Undefined for an unknown path.
 */
export function partsOf(path: string): string[] | undefined {
  let parts: string[]
  try {
    parts = path.split('/').filter(Boolean).map(decodeURIComponent)
  } catch {
    return undefined
  }
  const [api = '', ...rest] = parts
  // A page for people has no version, and may name the account.
  if (api === 'oauth' && rest.length <= 2 && rest.at(-1) === 'authorize') return ['oauth', 'authorize']
  const versionAt = rest.findIndex((part, index) => index < 2 && VERSION.test(part))
  if (versionAt < 0) return undefined
  const version = rest[versionAt]
  const plain = rest.filter((_part, index) => index !== versionAt)
  if (api === 'crm' && plain[0] === 'associations' && version === 'v3') return ['associations-v3', ...plain.slice(1)]
  if (api === 'crm') return plain
  if (api === 'crm-object-schemas') return plain
  return api === 'oauth' || api === 'account-info' ? [api, ...plain] : undefined
}

export const versionIn = (path: string) => path.split('/').find((part) => VERSION.test(part)) ?? ''

export interface Found {
  readonly handler: Handler
  readonly params: { readonly [name: string]: string }
}

/** The handler; 405 if there is one for other methods only, otherwise 404. */
export function find(method: string, parts: readonly string[]): Found | 404 | 405 {
  let fits = false
  for (const { method: wanted, pattern, handler } of TABLE) {
    if (pattern.length !== parts.length || !pattern.every((part, index) => part.startsWith(':') || part === parts[index])) continue
    if (wanted === method)
      return { handler, params: Object.fromEntries(pattern.flatMap((part, index) => (part.startsWith(':') ? [[part.slice(1), parts[index] as string]] : []))) }
    fits = true
  }
  return fits ? 405 : 404
}
