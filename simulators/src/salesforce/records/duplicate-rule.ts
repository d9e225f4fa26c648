/** The rule for leads that every new org has. It warns, which a client may override. */
export interface DuplicateRule {
  readonly isActive: boolean
  readonly blocks: boolean
}

export const STANDARD_RULE: DuplicateRule = { isActive: true, blocks: false }
export const RULE_NAME = 'Standard_Lead_Duplicate_Rule'
