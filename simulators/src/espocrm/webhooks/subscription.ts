import type { Access } from '../access.ts'
import { forbidden } from '../errors.ts'
import { token } from '../records/users.ts'
import { EVENT_TYPES } from '../scopes/webhook.ts'
import type { Values } from '../store.ts'

const MOST_OF_USER = 50

/** Completes a new webhook by its event, such as `Lead.create` or `Lead.fieldUpdate.status`. That of an API user tells what the user may read. */
export function completeWebhook(access: Access, values: Values): void {
  const { store, user, isAdmin } = access
  const [entityType = '', type = '', field, ...rest] = String(values.event).split('.')
  if (type === '' || rest.length > 0) throw forbidden('Not supported event.')
  const scope = store.scopes.get(entityType)
  if (!scope?.scope.object) throw forbidden('Entity type is not available for Webhooks.')
  if (!access.allows(entityType, 'read')) throw forbidden('Entity type is forbidden.')
  if (!EVENT_TYPES.includes(type)) throw forbidden('Not supported event.')
  if (type === 'fieldUpdate' && !field) throw forbidden('Field is empty.')
  if (type === 'fieldUpdate' && !Object.hasOwn(scope.fields, field ?? '')) throw forbidden('Field does not exist.')
  const own = [...store.table('Webhook').rows.values()].filter((one) => !one.deleted && one.values.userId === user.id)
  if (!isAdmin && own.length >= MOST_OF_USER) throw forbidden('Webhook number per user exceeded the limit.')
  if (user.values.type === 'api') values.userId = user.id
  Object.assign(values, { entityType, type, field: type === 'fieldUpdate' ? field : null, secretKey: token(store) })
}
