import type { Connection } from './connection-record.ts'

/** A secret that a way to sign in takes, by the name that the service knows it by. */
export interface SecretInput {
  readonly name: string
  readonly label: string
  readonly hint?: string
  readonly optional?: boolean
  /** `open` is no secret by itself, such as a user name; `lines` is a text of several lines. */
  readonly kind?: 'open' | 'lines'
}

/** A way to sign in, with what has to be entered for it. */
export interface Way {
  readonly id: string
  readonly label: string
  readonly about: string
  readonly secrets: readonly SecretInput[]
}

export interface ConnectableCrm {
  readonly platform: Connection['Platform']
  readonly label: string
  readonly about: string
  readonly address: { readonly hint: string; readonly placeholder: string; readonly optional?: boolean }
  /** With which app a person allows access in the browser, where the CRM has such a way. */
  readonly browser?: Way
  readonly ways: readonly Way[]
}

const SALESFORCE_APP: SecretInput = { name: 'clientId', label: 'Client id', hint: 'The consumer key of the external client app.', kind: 'open' }
const HUBSPOT_APP: readonly SecretInput[] = [
  { name: 'clientId', label: 'Client id', hint: 'Of your app, on its Auth page.', kind: 'open' },
  { name: 'clientSecret', label: 'Client secret' },
]
const ESPOCRM_KEY: SecretInput = { name: 'apiKey', label: 'API key', hint: 'On the page of the user, under Administration, API Users.' }
const ESPOCRM_ADMIN: readonly SecretInput[] = [
  {
    name: 'username',
    label: 'Administrator’s user name',
    hint: 'Only to create custom objects, which no API user may.',
    optional: true,
    kind: 'open',
  },
  { name: 'password', label: 'Administrator’s password', optional: true },
]

export const CRMS: readonly ConnectableCrm[] = [
  {
    platform: 'salesforce',
    label: 'Salesforce',
    about: 'Allow it in the browser, or sign in with client credentials, a JWT or a refresh token.',
    address: { hint: 'The My Domain of the account.', placeholder: 'https://acme.my.salesforce.com' },
    browser: {
      id: 'browser',
      label: 'Allow in the browser',
      about: 'It is allowed for an external client app of yours, which has the Authorization Code Flow and the scopes api and refresh_token.',
      secrets: [SALESFORCE_APP, { name: 'clientSecret', label: 'Client secret', hint: 'The consumer secret, if the app requires it.', optional: true }],
    },
    ways: [
      {
        id: 'client',
        label: 'Client credentials',
        about: 'The app runs as one user, chosen in its policies.',
        secrets: [SALESFORCE_APP, { name: 'clientSecret', label: 'Client secret', hint: 'Its consumer secret.' }],
      },
      {
        id: 'jwt',
        label: 'JWT bearer',
        about: 'Signed with the private key of a certificate that the app has.',
        secrets: [
          SALESFORCE_APP,
          { name: 'username', label: 'User name', hint: 'The user to sign in as.', kind: 'open' },
          { name: 'privateKey', label: 'Private key', hint: 'In PEM, from -----BEGIN to -----END PRIVATE KEY-----.', kind: 'lines' },
        ],
      },
      {
        id: 'refresh',
        label: 'Refresh token',
        about: 'One that a user has granted to the app already. If Salesforce replaces it, the new one is kept.',
        secrets: [
          SALESFORCE_APP,
          { name: 'refreshToken', label: 'Refresh token' },
          { name: 'clientSecret', label: 'Client secret', hint: 'If the app requires it.', optional: true },
        ],
      },
    ],
  },
  {
    platform: 'hubspot',
    label: 'HubSpot',
    about: 'Allow it in the browser, or sign in with a service key or a refresh token.',
    address: { hint: 'Only for another address than HubSpot’s own.', placeholder: 'https://api.hubapi.com', optional: true },
    browser: {
      id: 'browser',
      label: 'Allow in the browser',
      about: 'It is allowed for an app of yours, from a project of HubSpot’s developer platform.',
      secrets: HUBSPOT_APP,
    },
    ways: [
      {
        id: 'token',
        label: 'Service key',
        about: 'From Development, Keys, Service keys. The access token of an older private app works as well.',
        secrets: [{ name: 'token', label: 'Service key' }],
      },
      {
        id: 'refresh',
        label: 'Refresh token',
        about: 'One that the account has granted to your app already.',
        secrets: [...HUBSPOT_APP, { name: 'refreshToken', label: 'Refresh token' }],
      },
    ],
  },
  {
    platform: 'espocrm',
    label: 'EspoCRM',
    about: 'Sign in with the key of an API user, signed or not, or with a user name and password.',
    address: { hint: 'With the folder that EspoCRM is in, if there is one.', placeholder: 'https://crm.example.com' },
    ways: [
      { id: 'key', label: 'API key', about: 'Of an API user with the method API Key.', secrets: [ESPOCRM_KEY, ...ESPOCRM_ADMIN] },
      {
        id: 'hmac',
        label: 'API key with HMAC',
        about: 'Of an API user with the method HMAC. Each request is signed, and the secret key is never sent to EspoCRM.',
        secrets: [ESPOCRM_KEY, { name: 'secretKey', label: 'Secret key' }, ...ESPOCRM_ADMIN],
      },
      {
        id: 'password',
        label: 'User name and password',
        about: 'Of a user without a second factor. Prefer an API user where you can.',
        secrets: [
          { name: 'username', label: 'User name', kind: 'open' },
          { name: 'password', label: 'Password' },
        ],
      },
    ],
  },
]

export function crmOf(platform: Connection['Platform']): ConnectableCrm {
  const crm = CRMS.find((one) => one.platform === platform)
  if (!crm) throw new Error(`The console has no form for ${platform}.`)
  return crm
}

/** The way that a connection signs in by, told by the names of its secrets. */
export function wayOf({ Platform, SignIn, SecretNames }: Pick<Connection, 'Platform' | 'SignIn' | 'SecretNames'>): Way | undefined {
  const { browser, ways } = crmOf(Platform)
  if (SignIn === 'browser') return browser
  const fits = ({ secrets }: Way) =>
    secrets.every(({ name, optional }) => optional || SecretNames.includes(name)) && SecretNames.every((name) => secrets.some((one) => one.name === name))
  return ways.find(fits)
}
