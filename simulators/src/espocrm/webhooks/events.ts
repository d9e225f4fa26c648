import type { Access } from '../access.ts'
import { attributeValue, type Seen } from '../records/values.ts'
import { attributesOf, type Kind, shapeOf } from '../scopes/attributes.ts'
import type { Row, Store, Values } from '../store.ts'
import { queueOf } from './queue.ts'

export function announceCreate({ store }: Access, row: Row, created: Values): void {
  announce(store, row, 'create', created)
}

export function announceDelete({ store }: Access, row: Row): void {
  announce(store, row, 'delete', { id: row.id })
}

/** Tells what has changed; a write that changes nothing is not told. */
export function announceUpdate({ store }: Access, row: Row, before: Values): void {
  const changed = changesOf(store, row, before)
  if (Object.keys(changed).every((name) => name === 'modifiedById')) return
  announce(store, row, 'update', { ...changed, id: row.id })
  const scope = store.scope(row.scope)
  for (const field of Object.keys(scope.fields)) {
    const attributes = attributesOf(scope, field)
    if (!attributes.some(({ name }) => name in changed)) continue
    const values = attributes.map((attribute) => [attribute.name, attributeValue(store, row, attribute)])
    announce(store, row, `fieldUpdate.${field}`, { id: row.id, ...Object.fromEntries(values) })
  }
}

const TOLD: ReadonlySet<Kind> = new Set(['stored', 'linkId', 'data'])

/** EspoCRM leaves out the time of the change, but not who made it. */
function changesOf(store: Store, row: Row, before: Values): Values {
  const changed: Values = {}
  const earlier: Seen = { ...row, values: before }
  for (const attribute of shapeOf(store.scope(row.scope)).attributes.values()) {
    if (!TOLD.has(attribute.kind) || attribute.name === 'modifiedAt') continue
    const value = attributeValue(store, row, attribute)
    if (JSON.stringify(value) !== JSON.stringify(attributeValue(store, earlier, attribute))) changed[attribute.name] = value
  }
  return changed
}

function announce(store: Store, row: Row, type: string, data: Values): void {
  if (!store.scope(row.scope).scope.object) return
  for (const webhook of store.found('Webhook', `event:${row.scope}.${type}`)) queueOf(store).add({ webhook, target: row, data, attempts: 0 })
}
