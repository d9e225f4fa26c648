import type { Operation, Verb } from '../../contract/operation.ts'
import type { CheckedCall, Prepare } from '../call/types.ts'
import { createKey, createUser, getCurrentUser, revokeKey, updateUser } from './administration.ts'
import { attach, link, unlink } from './attachments.ts'
import { allowPlan, refusePlan } from './confirmations.ts'
import { authorizeConnection, completeConnection, createConnection, deleteConnection, getMirror, testConnection, updateConnection } from './connections.ts'
import { convert } from './convert.ts'
import { deleteField, updateField } from './custom-fields.ts'
import { createCustom, upsertCustom } from './custom-objects.ts'
import { describe } from './describe.ts'
import { eraseRecord } from './erasure.ts'
import { getEvents } from './events.ts'
import { defineField, retireField, updateOwnField } from './own-fields.ts'
import { getAttached, getMany } from './pages.ts'
import { create, get, remove, update } from './records.ts'
import { search } from './search.ts'
import { getSummary } from './summaries.ts'
import { undoChange } from './undo-change.ts'
import { upsert } from './upsert.ts'
import { createWebhook, deleteWebhook, replayDeliveries, rotateWebhookSecret, testWebhook, updateWebhook } from './webhooks.ts'
import { createWorkspace, deleteWorkspace, pauseWorkspace, resumeWorkspace, updateWorkspace } from './workspaces.ts'

type Read = (context: CheckedCall) => Promise<unknown>

const READS = {
  get,
  getMany,
  search,
  getSummary,
  getAttached,
  describe,
  getCurrentUser,
  getEvents,
  testWebhook,
  testConnection,
  getMirror,
  authorizeConnection,
} satisfies { readonly [V in Verb]?: Read }

const WRITES: { readonly [V in Exclude<Verb, keyof typeof READS>]: Prepare } = {
  create,
  upsert,
  convert,
  update,
  delete: remove,
  attach,
  link,
  unlink,
  createCustom,
  upsertCustom,
  updateField,
  deleteField,
  defineField,
  updateOwnField,
  retireField,
  createUser,
  updateUser,
  createKey,
  revokeKey,
  undoChange,
  eraseRecord,
  allowPlan,
  refusePlan,
  createWebhook,
  updateWebhook,
  deleteWebhook,
  rotateWebhookSecret,
  replayDeliveries,
  createConnection,
  updateConnection,
  completeConnection,
  deleteConnection,
  createWorkspace,
  updateWorkspace,
  pauseWorkspace,
  resumeWorkspace,
  deleteWorkspace,
}

export const isRead = ({ verb }: Operation): boolean => verb in READS
export const readOf = ({ verb }: Operation): Read => READS[verb as keyof typeof READS]
export const prepareOf = ({ verb }: Operation): Prepare => WRITES[verb as keyof typeof WRITES]
