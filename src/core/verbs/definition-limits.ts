import type { Fault } from '../../contract/errors.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { Definition } from '../call/filters.ts'

const IN_USE = { fields: 'fields', objects: 'custom objects', remove: 'Retire or delete' }
const RETIRED = { fields: 'retired fields', objects: 'custom objects with retired fields', remove: 'Delete' }

/**
 * The limits that the definitions of a workspace exceed with those that were just added to an object. Retired fields have the same limits for
 * themselves, so that retiring fields makes room and the number of definitions is limited all the same.
 */
export function definitionLimitFaults(
  definitions: readonly Definition[],
  objectName: string,
  { added, retired = false, at = 'Fields' }: { readonly added: number; readonly retired?: boolean; readonly at?: string },
): Fault[] {
  const counted = definitions.filter(({ Retired = false }) => Retired === retired)
  const own = counted.filter(({ ObjectName }) => ObjectName === objectName).length
  const words = retired ? RETIRED : IN_USE
  const tooMany = (field: string, what: string, most: number, of: string, which = 'some of them'): Fault => ({
    field,
    code: 'count',
    message: `${what} would have more than ${most.toLocaleString('en')} ${of}. ${words.remove} ${which} first.`,
    expected: `at most ${most} in all`,
  })
  if (own > LIMITS.customFields) return [tooMany(at, objectName, LIMITS.customFields, words.fields)]
  const isNewObject = own === added
  const objects = new Set(counted.map(({ ObjectName }) => ObjectName)).size
  return [
    ...(isNewObject && objects > LIMITS.customObjects
      ? [tooMany('ObjectName', 'The workspace', LIMITS.customObjects, words.objects, `all ${words.fields} of one`)]
      : []),
    ...(counted.length > LIMITS.allCustomFields ? [tooMany(at, 'All custom objects together', LIMITS.allCustomFields, words.fields)] : []),
  ]
}
