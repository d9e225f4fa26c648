import { overCli } from '../support/over-cli.ts'
import { sharedPass } from '../support/passes.ts'

sharedPass('transports', 'cli', 'sqlite, through commands and a server', () => overCli())
