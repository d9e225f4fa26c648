import type { CellFormats } from 'crm-connector/files'

/** What was chosen about a file, apart from its rows. */
export interface Remembered {
  readonly choices: readonly (readonly [column: string, choice: string])[]
  readonly matchBy?: readonly string[] | undefined
  readonly formats: Pick<CellFormats, 'numbers' | 'dates'>
}

/** The mappings of this many headers are kept, in this browser. */
const MOST = 30

/** Mappings by the set of columns and the records that they were for, of one workspace. */
export function mappingMemory(workspace: string, records: string) {
  const storageKey = `crm-connector-mappings:${workspace}`
  const idOf = (columns: readonly string[]) => JSON.stringify([records, ...columns.toSorted()])
  return {
    /** Undefined where all columns went by their names. */
    recall(columns: readonly string[]): Remembered | undefined {
      const found = new Map(read(storageKey)).get(idOf(columns))
      return found && (found.choices.length > 0 || found.matchBy) ? found : undefined
    },
    remember(columns: readonly string[], mapping: Remembered): void {
      const id = idOf(columns)
      const others = read(storageKey).filter(([other]) => other !== id)
      try {
        localStorage.setItem(storageKey, JSON.stringify([...others, [id, mapping]].slice(-MOST)))
      } catch {
        // A browser without room for it maps by name the next time.
      }
    },
  }
}

export type MappingMemory = ReturnType<typeof mappingMemory>

/** The stored value may come from another version. */
function read(storageKey: string): readonly (readonly [id: string, mapping: Remembered])[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(storageKey) ?? '[]')
    return Array.isArray(stored) ? stored.filter((one) => typeof one?.[0] === 'string' && Array.isArray(one[1]?.choices) && one[1].formats) : []
  } catch {
    return []
  }
}
