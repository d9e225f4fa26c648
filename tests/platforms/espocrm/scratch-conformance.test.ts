import { afterAll, beforeAll, describe, test } from 'vitest'
import { conformance } from '../../../src/testing/index.ts'
import * as all from '../../support/crms/espocrm.ts'
import { overCrm } from '../../support/crms.ts'

const crm = { ...all.ESPOCRM, values: { leadStatuses: ['Open', 'Assigned'] as const }, lacks: [...all.ESPOCRM.lacks, 'outer blanks' as const] }
conformance({ describe, test, beforeAll, afterAll }, 'espocrm', () => overCrm(crm))
