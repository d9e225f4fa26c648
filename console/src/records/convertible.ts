import type { RecordSchema } from './record-schema.ts'

/** The status of a lead that was converted. */
export const CONVERTED = 'Converted'

/** Whether a record gets the state by its conversion, where that can be called. */
export const isConversion = (schema: RecordSchema, state: unknown): boolean => schema.operation('convert') !== undefined && state === CONVERTED

/** Why the state is not given to records by an edit; undefined where it is. */
export const conversionFault = (schema: RecordSchema, field: string, value: unknown): string | undefined =>
  field === schema.state && isConversion(schema, value) ? 'A lead becomes converted by Convert, which makes its contact and company.' : undefined
