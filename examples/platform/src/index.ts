import type { ErrorCode } from 'crm-connector/contract'
import { Connection, type CrmKind, DriverError, Session } from 'crm-connector/platform'
import { notebookDriver } from './driver.ts'
import { TABLES } from './tables.ts'

const CODES: { readonly [status: number]: ErrorCode } = { 401: 'unauthenticated', 403: 'forbidden', 404: 'not_found', 409: 'conflict', 429: 'rate_limited' }

/** Notebook as a platform: `CRM_PLATFORM=package:crm-notebook:http://127.0.0.1:9000`, with its token in `CRM_NOTEBOOK_TOKEN`. */
export const crm: CrmKind = {
  name: 'notebook',
  label: 'Notebook',
  secrets: { token: 'the token that Notebook was started with' },
  options: {},
  tables: () => TABLES,

  async open({ address, secrets, settings, tables, retry, onSignIn }) {
    const connection = new Connection({
      name: 'Notebook',
      origin: address,
      session: new Session(async () => ({ token: secrets.token ?? '' }), onSignIn),
      authorize: ({ token }) => ({ authorization: `Bearer ${token}` }),
      isExpired: () => false,
      isOwn: ({ headers }) => headers['content-type'] === 'application/json',
      refusal: ({ status, text }) => new DriverError(CODES[status] ?? (status < 500 ? 'platform_rejected' : 'platform_unavailable'), text),
      retry,
      timeoutMs: settings.timeoutMs,
    })
    const driver = notebookDriver(connection, tables)
    try {
      await driver.ping()
      return driver
    } catch (error) {
      await connection.close()
      throw error
    }
  },
}
