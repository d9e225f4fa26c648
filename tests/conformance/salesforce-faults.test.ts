import { afterAll, beforeAll, describe, test } from 'vitest'
import { conformance } from '../../src/testing/index.ts'
import { SALESFORCE } from '../support/crms/salesforce.ts'
import { FAULTS, overCrm } from '../support/crms.ts'

conformance({ describe, test, beforeAll, afterAll }, 'salesforce, over a simulator that misbehaves', () =>
  overCrm(SALESFORCE, { faults: FAULTS, settleMs: 200 }),
)
