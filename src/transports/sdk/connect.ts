import { type CallOptions, type Crm, clientOf } from '../../contract/client.ts'
import { CrmError } from '../../contract/errors.ts'
import { overHttp } from './http.ts'
import type { ConnectOptions } from './options.ts'
import { persistent } from './retries.ts'

/** The typed client: over HTTP where `baseUrl` leads to a service, or in this process where `platform` leads to a store. */
export function connect(options: ConnectOptions): Crm {
  if ('platform' in options) throw new CrmError('unsupported', 'not yet')
  return clientOf(persistent(overHttp(options), options))
}

export { type CallOptions, type Crm, CrmError }
