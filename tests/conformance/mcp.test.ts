import { afterAll, beforeAll, describe, test } from 'vitest'
import { conformance } from '../../src/testing/index.ts'
import { overMcp } from '../support/over-mcp.ts'

conformance({ describe, test, beforeAll, afterAll }, 'sqlite, over MCP', () => overMcp('2026-07-28'))
