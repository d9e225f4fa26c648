import { overMcp } from '../support/over-mcp.ts'
import { sharedPass } from '../support/passes.ts'

sharedPass('transports', 'mcp', 'sqlite, over MCP', () => overMcp('2026-07-28'))
