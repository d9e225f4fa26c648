import { overHttp } from '../support/over-http.ts'
import { share } from '../support/passes.ts'

share('http', 'sqlite, over HTTP', () => overHttp())
