import { afterAll, beforeAll, describe, test } from 'vitest'
import { conformance } from '../../src/testing/index.ts'
import { overHttp } from '../support/over-http.ts'

conformance({ describe, test, beforeAll, afterAll }, 'sqlite, over HTTP', () => overHttp())
