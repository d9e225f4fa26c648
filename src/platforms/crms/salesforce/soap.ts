import type { Retry } from '../../platform.ts'
import type { Connection } from '../engine/connection.ts'
import { DriverError } from '../engine/errors.ts'
import { RENEWALS, type Session } from '../engine/session.ts'
import { signedIn } from './sign-in.ts'

export interface SoapParts {
  readonly connection: Connection
  readonly session: Session
  readonly retry: Retry
  readonly version: string
}

/** Sends a request to one of the SOAP services: `m` is the Metadata API, `u` the Partner API. `reads` where it may be sent twice. */
export type SendSoap = <T>(service: 'm' | 'u', body: (token: string) => string, read: (text: string) => T, reads?: boolean) => Promise<T>

/** What only SOAP offers. The session's token is part of the body, so that a renewed session needs another body. */
export function createSoap({ connection, session, retry, version }: SoapParts): SendSoap {
  return async (service, body, read, reads = false) => {
    const ask = (token: string) =>
      connection.read(
        {
          method: 'POST',
          path: `/services/Soap/${service}/${version}`,
          headers: { 'content-type': 'text/xml; charset=utf-8', soapaction: '""' },
          body: body(token),
          ...(reads && { reads }),
        },
        ({ text }) => read(text),
      )
    let signed = await signedIn(retry, () => session.get())
    for (let left = RENEWALS; ; left--) {
      try {
        return await ask(signed.token)
      } catch (error) {
        const refused = signed
        if (left === 0 || !(error instanceof DriverError) || error.code !== 'unauthenticated') throw error
        signed = await signedIn(retry, () => session.after(refused))
        // Only one that was stored may have ended like the one before.
        if (!signed.stored) left = 1
      }
    }
  }
}
