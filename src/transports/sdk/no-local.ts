import type { Transport } from '../../contract/client/transport.ts'
import { CrmError } from '../../contract/errors.ts'

/** Replaces `crm-connector/local` in browsers and edge runtimes, which cannot open a store. */
export async function openLocal(): Promise<Transport> {
  throw new CrmError('unsupported', 'A store can be opened in Node only.', { hint: 'Use connect({ baseUrl, key }) instead.' })
}
