import { afterAll, beforeAll, describe, test } from 'vitest'
import { conformance } from '../../src/testing/index.ts'
import { ESPOCRM } from '../support/crms/espocrm.ts'
import { FAULTS, overCrm } from '../support/crms.ts'

conformance({ describe, test, beforeAll, afterAll }, 'espocrm, over a simulator that misbehaves', () => overCrm(ESPOCRM, { faults: FAULTS, settleMs: 200 }))
