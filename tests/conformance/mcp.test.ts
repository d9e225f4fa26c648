import { overMcp } from '../support/over-mcp.ts'
import { share } from '../support/passes.ts'

share('mcp', 'sqlite, over MCP', () => overMcp('2026-07-28'))
