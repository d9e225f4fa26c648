import { overHttp } from '../support/over-http.ts'
import { sharedPass } from '../support/passes.ts'

sharedPass('transports', 'http', 'sqlite, over HTTP', () => overHttp())
