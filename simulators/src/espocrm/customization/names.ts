import { conflict, failure, translated } from '../errors.ts'
import type { Store } from '../store.ts'

const RESERVED = new Set(
  '__halt_compiler abstract and array as break callable case catch class clone const continue declare default die do echo else elseif empty enddeclare endfor endforeach endif endswitch endwhile eval exit extends final for foreach function global goto if implements include include_once instanceof insteadof interface isset list namespace new or print private protected public require require_once return static switch throw trait try unset use var while xor common fn parent int float bool string true false null void iterable object mixed never'.split(
    ' ',
  ),
)
const NOT_ALLOWED = new Set(['Common', 'PortalUser', 'ApiUser', 'Timeline', 'About', 'Admin', 'Null', 'False', 'True', 'Base', 'Layout', 'Home'])
const NO_FIELDS = new Set(['id', 'deleted', 'deleteId', 'skipDuplicateCheck', 'isFollowed', 'versionNumber', 'null', 'false', 'true', 'system'])
const LONGEST_SCOPE = 64
const LONGEST_FIELD = 50

export const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

/** The length in the database, where every capital gets an underscore. */
const stored = (name: string) => name.replace(/[A-Z]/g, (letter, at: number) => (at === 0 ? letter : `_${letter}`)).length

/** The name of a new scope, which EspoCRM prefixes with C. */
export function newScopeName(store: Store, requested: string): string {
  const name = `C${capital(capital(requested).trim())}`
  if (/[^a-zA-Z\d]/.test(name)) throw failure('Entity name should contain only letters and numbers, start with an upper case letter.')
  if (name.length < 3) throw failure('Entity name should not shorter than 3.')
  if (stored(name) > LONGEST_SCOPE) throw failure(`Entity type name should not be longer than ${LONGEST_SCOPE}.`, translated('nameIsTooLong', 'EntityManager'))
  if (store.scopes.has(name)) throw conflict(`Name '${name}' is already used.`, translated('nameIsAlreadyUsed', 'EntityManager', { name }))
  if (NOT_ALLOWED.has(name) || RESERVED.has(name.toLowerCase())) {
    throw conflict(`Entity type name '${name}' is not allowed.`, translated('nameIsNotAllowed', 'EntityManager', { name }))
  }
  return name
}

/** The name of a new field, prefixed with c in standard scopes. */
export function newFieldName(store: Store, scopeName: string, requested: string): string {
  const scope = store.scope(scopeName)
  const name = scope.custom ? requested : `c${capital(requested)}`
  const data = { field: name, entityType: scopeName }
  if (stored(name) > LONGEST_FIELD) throw failure(`Field name should not be longer than ${LONGEST_FIELD}.`, translated('nameIsTooLong', 'EntityManager'))
  if (Object.hasOwn(scope.fields, name))
    throw conflict(`Field '${name}' already exists in '${scopeName}'.`, translated('fieldAlreadyExists', 'FieldManager', data))
  if (Object.hasOwn(scope.links, name)) {
    throw conflict(`Link with name '${name}' already exists in '${scopeName}'.`, translated('linkWithSameNameAlreadyExists', 'FieldManager', data))
  }
  if (isPartOfLink(Object.keys(scope.links), name))
    throw conflict('namingFieldLinkConflict', translated('namingFieldLinkConflict', 'FieldManager', { field: name }))
  if (NO_FIELDS.has(name) || NO_FIELDS.has(name.toLowerCase())) {
    throw conflict(`Field '${name}' is not allowed.`, translated('fieldNameIsNotAllowed', 'FieldManager', { field: name }))
  }
  if (/^\d/.test(name)) throw failure('Field name should start with a letter.')
  if (!/^[a-z]/.test(name)) throw failure('Field name should start with a lower case letter.')
  if (/[^a-zA-Z\d]/.test(name)) throw failure('Field name should contain only letters and numbers.')
  return name
}

const isPartOfLink = (links: readonly string[], name: string) =>
  ['Id', 'Name', 'Ids', 'Names', 'Type'].some((end) => name.endsWith(end) && links.includes(name.slice(0, -end.length)))
