import type { Transport } from '../../contract/client/transport.ts'
import { CrmError } from '../../contract/errors.ts'

/** Stands where stores cannot be opened: in browsers and at the edge. */
export async function openLocal(): Promise<Transport> {
  throw new CrmError('unsupported', 'A store can be opened in Node only.', { hint: 'Connect to a service instead: connect({ baseUrl, key }).' })
}
