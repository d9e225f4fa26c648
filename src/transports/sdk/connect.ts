import { type CallOptions, type Crm, clientOf } from '../../contract/client.ts'
import { CrmError } from '../../contract/errors.ts'
import { overHttp } from './http.ts'
import { type ConnectOptions, checkOptions } from './options.ts'
import { persistent } from './retries.ts'
import { inProcess } from './store.ts'

/** The typed client: over HTTP where `baseUrl` leads to a service, in this process where `platform` leads to a store. */
export function connect(options: ConnectOptions): Crm {
  checkOptions(options)
  return clientOf(persistent('platform' in options ? inProcess(options) : overHttp(options), options))
}

export { type CallOptions, type Crm, CrmError }
