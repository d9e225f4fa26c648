import { afterAll, beforeAll, describe, test } from 'vitest'
import { conformance } from '../../src/testing/index.ts'
import { HUBSPOT } from '../support/crms/hubspot.ts'
import { FAULTS, overCrm } from '../support/crms.ts'

conformance({ describe, test, beforeAll, afterAll }, 'hubspot, over a simulator that misbehaves', () => overCrm(HUBSPOT, { faults: FAULTS, settleMs: 200 }))
