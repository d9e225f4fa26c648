/** Importing and exporting files, for the command line and the console. Shared within the package, and not published. */
export { csvLine } from './exporting/csv-line.ts'
export { csvOf, type ExportFormat, ndjsonOf } from './exporting/formats.ts'
export { OWNER_COLUMNS, type OwnerColumns, withOwnerColumns, withOwnerNames } from './exporting/owner-names.ts'
export { countRecords, exportColumns, flatRecord, recordsOf, summaryOf } from './exporting/records.ts'
export { withoutFormula } from './exporting/spreadsheet-text.ts'
export { refuseTooMany, workbookOf } from './exporting/workbook.ts'
export { type CellFormats, DATES, guessFormats, NUMBERS } from './mapping/cell-value.ts'
export { bare } from './mapping/column-names.ts'
export { CUSTOM_TYPE_NAMES } from './mapping/custom-fields.ts'
export type { TargetField } from './mapping/import-target.ts'
export { type Findings, gatherFindings, LOOKED_UP, type NewValues, NO_FINDINGS, newValuesText } from './planning/findings.ts'
export {
  absentOwnerColumn,
  columnOf,
  customFieldsOf,
  type ImportPlan,
  matchChoices,
  type Preparation,
  planImport,
  prepareImport,
} from './planning/import-plan.ts'
export { type PlannedRow, type RejectedRow, type RowFault, rejectedRow } from './planning/planned-row.ts'
export { type Repeats, repeatCounter, tellingFields } from './planning/repeats.ts'
export { RowKeys, runNameOf } from './planning/row-keys.ts'
export { createPlanner } from './planning/row-planner.ts'
export { type FileSource, WrongEncoding } from './reading/decoding.ts'
export { ENDINGS, openRowFile, type RowFile, type Sample, sampleOf } from './reading/row-file.ts'
export { cellOf, type FileRow, withCell } from './reading/rows.ts'
export { withAllFaults } from './sending/all-faults.ts'
export { createBatches, type Item } from './sending/batches.ts'
export { checkingChanges } from './sending/check-changes.ts'
export { forecast } from './sending/forecast.ts'
export { importFile, type Tally } from './sending/import-file.ts'
export { rejectText } from './sending/reject-text.ts'
export { createSender } from './sending/sender.ts'
