import { overCli } from '../support/over-cli.ts'
import { SHARING, sharedPass } from '../support/passes.ts'

sharedPass(SHARING.transports, 'cli', 'sqlite, through commands and a server', () => overCli())
