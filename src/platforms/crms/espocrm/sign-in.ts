import { createHmac } from 'node:crypto'
import type { CrmRequest } from '../engine/connection.ts'
import { DriverError } from '../engine/errors.ts'
import { hideSecrets } from '../engine/secrets.ts'
import type { Signed } from '../engine/session.ts'
import type { Who } from './errors.ts'

/** How a request shows who sends it. EspoCRM has no sessions for programs: everything that is sent says it anew. */
export interface Credentials {
  readonly how: string
  readonly who: Who
  /** What a session is made of, another one each time that the one before was refused. */
  sign(): Signed
  headers(signed: Signed, request: CrmRequest): { readonly [name: string]: string }
}

type Secrets = { readonly [name: string]: string | undefined }

/** Who we are: an API user by its key, or a person by name and password. */
export function credentialsOf({ apiKey, secretKey, username, password }: Secrets, base: string): Credentials {
  if (apiKey && secretKey) return hmac(apiKey, secretKey, base)
  if (apiKey) return constant('an API key', 'API user', { 'x-api-key': apiKey })
  if (username && password) return constant('a password', 'administrator', basic(username, password))
  throw new DriverError('unauthenticated', 'EspoCRM needs an API key to let this service in.', {
    hint: 'Make an API user in EspoCRM (Administration, API Users), and give the secret apiKey, and secretKey where its method is HMAC.',
  })
}

/** Who may make objects and fields: only a person who administers EspoCRM can, no API user. */
export function administratorOf({ username, password }: Secrets): Credentials | undefined {
  return username && password ? constant('a password', 'administrator', basic(username, password)) : undefined
}

function constant(how: string, who: Who, headers: { readonly [name: string]: string }): Credentials {
  return { how, who, sign: () => ({ token: how }), headers: () => headers }
}

function basic(username: string, password: string) {
  const encoded = Buffer.from(`${username}:${password}`).toString('base64')
  hideSecrets({ encoded })
  return { authorization: `Basic ${encoded}` }
}

/** EspoCRM takes the hash in hexadecimal digits from 8.4.1 on; before that it took its bytes. */
const FORMS = ['hex', 'bytes'] as const

function hmac(apiKey: string, secretKey: string, base: string): Credentials {
  let tried = -1
  const key = Buffer.from(apiKey)
  // Every request begins with the key in this form; its last bytes are encoded together with what follows.
  hideSecrets({ encoded: key.subarray(0, key.length - (key.length % 3)).toString('base64') })
  return {
    how: 'HMAC',
    who: 'API user',
    sign: () => ({ token: FORMS[++tried % FORMS.length] as string }),
    headers({ token }, { method, path }) {
      const hash = createHmac('sha256', secretKey)
        .update(`${method} ${resourceOf(path, base)}`)
        .digest()
      const shown = token === 'hex' ? Buffer.from(hash.toString('hex')) : hash
      return { 'x-hmac-authorization': Buffer.concat([Buffer.from(`${apiKey}:`), shown]).toString('base64') }
    },
  }
}

/** What is signed of an address: what stands behind `/api/v1`, without the query. */
function resourceOf(path: string, base: string): string {
  return path.slice(base.length).split('?')[0] as string
}
