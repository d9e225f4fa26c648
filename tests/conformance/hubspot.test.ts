import { afterAll, beforeAll, describe, test } from 'vitest'
import { conformance } from '../../src/testing/index.ts'
import { HUBSPOT } from '../support/crms/hubspot.ts'
import { overCrm } from '../support/crms.ts'

conformance({ describe, test, beforeAll, afterAll }, 'hubspot, over its simulator', () => overCrm(HUBSPOT))
