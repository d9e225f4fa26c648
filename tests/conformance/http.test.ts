import { overHttp } from '../support/over-http.ts'
import { sharedPass } from '../support/passes.ts'

sharedPass('http', 'sqlite, over HTTP', () => overHttp())
