import { Refusal } from '../errors.ts'
import type { Org } from '../org.ts'
import { RULE_NAME } from './duplicate-rule.ts'
import type { Draft } from './rules.ts'
import type { Row } from './table.ts'

/** From this version on the result is spelled as it is meant. */
const SPELLED_WELL = 64

class DuplicatesDetected extends Refusal {
  constructor(version: string, result: object) {
    super(400, 'DUPLICATES_DETECTED', 'Use one of these records?', [])
    const name = Number.parseFloat(version.slice(1)) >= SPELLED_WELL ? 'duplicateResult' : 'duplicateResut'
    Object.assign(this.wrong, { [name]: result })
  }
}

/** What a client says of itself. */
interface Client {
  readonly version: string
  readonly allowsDuplicates?: boolean
}

/** Refuses a new lead of a person who is a lead already: of the same name, with the same e-mail address, or the same telephone number and company. */
export function refuseDuplicate(org: Org, { version, allowsDuplicates }: Client, draft: Draft): void {
  const { isActive, blocks } = org.duplicateRule
  if (!isActive || (allowsDuplicates && !blocks)) return
  const isSame = (row: Row, ...fields: readonly string[]) =>
    fields.every((field) => draft[field] != null && String(draft[field]).toLowerCase() === String(row[field] ?? '').toLowerCase())
  const matches = org
    .table(org.objectAt('Lead'))
    .find('LastName', draft.LastName ?? null)
    .filter((row) => !row.IsDeleted && isSame(row, 'FirstName', 'LastName') && (isSame(row, 'Email') || isSame(row, 'Phone', 'Company')))
  if (matches.length === 0) return
  throw new DuplicatesDetected(version, {
    allowSave: !blocks,
    duplicateRule: RULE_NAME,
    duplicateRuleEntityType: 'Lead',
    errorMessage: 'Use one of these records?',
    matchResults: [
      {
        entityType: 'Lead',
        errors: [],
        matchEngine: 'FuzzyMatchEngine',
        matchRecords: matches.map(({ Id }) => ({
          additionalInformation: [],
          fieldDiffs: [],
          matchConfidence: 100,
          record: { attributes: { type: 'Lead', url: `/services/data/${version}/sobjects/Lead/${Id}` }, Id },
        })),
        rule: 'Standard_Lead_Match_Rule_v1_0',
        size: matches.length,
        success: true,
      },
    ],
  })
}
