import { overHttp } from '../support/over-http.ts'
import { SHARING, sharedPass } from '../support/passes.ts'

sharedPass(SHARING.transports, 'http', 'sqlite, over HTTP', () => overHttp())
