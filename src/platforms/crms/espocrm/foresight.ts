import type { StoredRecord } from '../../platform.ts'
import type { Table, Tables } from '../engine/tables.ts'
import { initialValues, placeOf, toTheirWord } from '../engine/translation.ts'
import { type Definitions, STOCK } from './metadata.ts'

/** What EspoCRM adds by itself to what is written, for dry runs: the defaults of fields, and the probability that follows from a stage. */
export function createForesight(tables: Tables, definitions: Definitions) {
  /** A stage that is none of the account's has no probability. */
  function ofStage(table: Table, values: StoredRecord, before: StoredRecord | undefined): StoredRecord {
    const [stage, probability] = [placeOf(table, 'Stage'), placeOf(table, 'Probability')]
    if (table.object !== 'Opportunity' || stage?.name !== 'stage' || probability?.name !== 'probability') return {}
    const isGiven = (values.Probability ?? null) !== null && values.Probability !== before?.Probability
    if (isGiven || typeof values.Stage !== 'string' || values.Stage === before?.Stage) return {}
    const fields = definitions.Opportunity?.fields ?? STOCK.Opportunity ?? {}
    const map = (fields.stage?.probabilityMap ?? {}) as { readonly [stage: string]: number | undefined }
    return { Probability: map[String(toTheirWord(stage, values.Stage))] ?? 0 }
  }

  return async (type: string, values: StoredRecord, before?: StoredRecord): Promise<StoredRecord> => {
    const table = tables[type]
    if (!table) return {}
    return { ...(!before && initialValues(table, values)), ...(type === 'Opportunity' && ofStage(table, values, before)) }
  }
}
