import type { RecordType } from '../../../contract/record.ts'
import { SEARCHED_TYPES } from '../../../contract/search.ts'
import { searchedFields } from '../../../contract/search-text.ts'
import { OWN } from './tables.ts'

const SEARCHED: ReadonlySet<string> = new Set(SEARCHED_TYPES)

/** Whether a search covers a record type. */
export const isSearched = ({ name }: Pick<RecordType, 'name'>) => SEARCHED.has(name)

/** Whether a write of these fields changes what a search finds; of all fields where none are named. */
export function changesSearch(type: RecordType, names: readonly string[] | undefined): boolean {
  if (!isSearched(type) || !names) return isSearched(type)
  const covered = [type.belongs, type.userDefined, OWN, ...searchedFields(type).map(({ name }) => name)]
  return names.some((name) => covered.includes(name))
}
