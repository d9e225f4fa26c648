import { afterAll, beforeAll, describe, test } from 'vitest'
import { conformance } from '../../src/testing/index.ts'
import { overCli } from '../support/over-cli.ts'

conformance({ describe, test, beforeAll, afterAll }, 'sqlite, through commands and a server', () => overCli())
