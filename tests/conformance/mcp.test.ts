import { overMcp } from '../support/over-mcp.ts'
import { SHARING, sharedPass } from '../support/passes.ts'

sharedPass(SHARING.transports, 'mcp', 'sqlite, over MCP', () => overMcp('2026-07-28'))
