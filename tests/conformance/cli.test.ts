import { overCli } from '../support/over-cli.ts'
import { share } from '../support/passes.ts'

share('cli', 'sqlite, through commands and a server', () => overCli())
