import type { Access } from '../access.ts'
import { badRequest, failure, forbidden } from '../errors.ts'
import type { Field, Scope } from '../scopes/definition.ts'
import { customScope, TEMPLATES } from '../scopes/templates.ts'
import { nonEmptyText as text } from '../search/nested-query.ts'
import type { Store, Values } from '../store.ts'
import { capital, newFieldName, newScopeName } from './names.ts'

/** Field types that can be created, with their initial parameters. */
const TYPES: { readonly [type: string]: Values } = {
  array: {},
  autoincrement: {},
  bool: {},
  checklist: {},
  currency: {},
  date: {},
  datetime: {},
  enum: { maxLength: 100 },
  float: { notNull: false },
  int: { notNull: false },
  multiEnum: {},
  text: {},
  url: {},
  varchar: {},
  wysiwyg: {},
}

/** The parameters of a field. */
const PARAMETERS = new Set(
  'required default maxLength options min max pattern audited readOnly readOnlyAfterCreate isSorted style translation optionsReference trim cutHeight rows displayAsLabel decimal onlyDefaultCurrency isPersonalData tooltip copyToClipboard after before useNumericFormat noEmptyString allowCustomOptions maxCount keepItems displayAsList strip inlineEditDisabled'.split(
    ' ',
  ),
)

/** The given label of a field, or one derived from its name. */
export function labelOf(store: Store, scope: string, field: string): string {
  return store.labels.get(`${scope}.${field}`) ?? capital(field.replace(/([a-z\d])([A-Z])/g, '$1 $2'))
}

export function administrator(access: Access): Access {
  if (!access.isAdmin) throw forbidden()
  return access
}

export function createScope({ store }: Access, data: Values): { readonly name: string } {
  const [requested, type] = [text(data.name), text(data.type)]
  if (requested === undefined || type === undefined) throw badRequest()
  if (!TEMPLATES.includes(type)) throw failure(`Type '${type}' does not exist.`)
  const name = newScopeName(store, requested)
  const singular = text(data.labelSingular) ?? name
  store.scopes.set(
    name,
    customScope(name, type, { singular, plural: text(data.labelPlural) ?? name }, { stream: data.stream === true, disabled: data.disabled === true }),
  )
  return { name }
}

export function updateScope({ store }: Access, data: Values): true {
  const scope = store.scopes.get(text(data.name) ?? '')
  if (!scope) throw failure(`Entity \`${text(data.name) ?? ''}\` does not exist.`)
  const { singular, plural } = scope.labels
  const stream = typeof data.stream === 'boolean' ? data.stream : scope.stream
  store.scopes.set(scope.name, {
    ...scope,
    stream,
    labels: { singular: text(data.labelSingular) ?? singular, plural: text(data.labelPlural) ?? plural },
    scope: { ...scope.scope, stream },
  })
  return true
}

/** Only links to one are simulated: each record of `entity` links to one of `entityForeign`. */
export function createLink({ store }: Access, data: Values): true {
  const [near, far] = [store.scopes.get(text(data.entity) ?? ''), store.scopes.get(text(data.entityForeign) ?? '')]
  const [link, linkForeign] = [text(data.link), text(data.linkForeign)]
  if (!near || !far || link === undefined || linkForeign === undefined || data.linkType !== 'manyToOne') throw badRequest()
  const [one, many] = [newFieldName(store, near.name, link), newFieldName(store, far.name, linkForeign)]
  const isCustom = true
  store.scopes.set(far.name, { ...far, links: { ...far.links, [many]: { type: 'hasMany', entity: near.name, foreign: one, isCustom } } })
  const now = store.scope(near.name)
  const links = { ...now.links, [one]: { type: 'belongsTo' as const, entity: far.name, foreign: many, isCustom } }
  setField(store, { ...now, links }, one, { type: 'link', isCustom }, text(data.label))
  return true
}

export function removeScope({ store }: Access, data: Values): true {
  const scope = store.scopes.get(text(data.name) ?? '')
  if (!scope?.custom) throw forbidden()
  store.drop(scope.name)
  return true
}

export function readField({ store }: Access, scopeName: string, name: string): Values {
  const field = fieldOf(store.scopes.get(scopeName), name)
  if (!field) throw failure(`Can't read field defs ${scopeName}.${name}.`)
  return { ...field, label: labelOf(store, scopeName, name) }
}

const fieldOf = (scope: Scope | undefined, name: string) => (scope && Object.hasOwn(scope.fields, name) ? scope.fields[name] : undefined)

export function createField(access: Access, scopeName: string, data: Values): Values {
  const { store } = access
  const requested = text(data.name)
  if (requested === undefined) throw badRequest("Field 'name' cannot be empty.")
  const scope = store.scopes.get(scopeName)
  if (!scope?.scope.customizable) throw failure(`Entity type ${scopeName} is not customizable.`)
  const name = newFieldName(store, scopeName, requested)
  const type = text(data.type)
  if (type === undefined) throw badRequest('No type.')
  if (!Object.hasOwn(TYPES, type)) throw failure()
  setField(store, scope, name, { ...TYPES[type], ...parametersIn(data), type, isCustom: true }, text(data.label))
  return readField(access, scopeName, name)
}

export function updateField(access: Access, scopeName: string, name: string, data: Values): Values {
  const { store } = access
  const scope = store.scopes.get(scopeName)
  const field = fieldOf(scope, name)
  if (!scope || !field) throw failure(`Can't read field defs ${scopeName}.${name}.`)
  setField(store, scope, name, { ...field, ...parametersIn(data) }, text(data.label))
  return readField(access, scopeName, name)
}

export function deleteField({ store }: Access, scopeName: string, name: string): true {
  const scope = store.scopes.get(scopeName)
  if (!scope || !fieldOf(scope, name)?.isCustom) throw failure(`Cannot delete core field '${name}' in '${scopeName}'.`)
  store.scopes.set(scopeName, { ...scope, fields: Object.fromEntries(Object.entries(scope.fields).filter(([one]) => one !== name)) })
  return true
}

function parametersIn(data: Values): Values {
  return Object.fromEntries(Object.entries(data).filter(([name, value]) => PARAMETERS.has(name) && value !== null && value !== false))
}

function setField(store: Store, scope: Scope, name: string, field: Field, label: string | undefined): void {
  store.scopes.set(scope.name, { ...scope, fields: { ...scope.fields, [name]: field } })
  if (label !== undefined) store.labels.set(`${scope.name}.${name}`, label)
}
