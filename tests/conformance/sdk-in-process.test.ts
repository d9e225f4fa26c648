import { afterAll, beforeAll, describe, test } from 'vitest'
import { conformance } from '../../src/testing/index.ts'
import { inProcessSdk } from '../support/in-process-sdk.ts'

conformance({ describe, test, beforeAll, afterAll }, 'sqlite, in the process of whoever connects', inProcessSdk)
