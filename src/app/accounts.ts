import { crmAddress } from '../config/crm-address.ts'
import { CRM_SETTINGS_TABLE, type CrmSettings } from '../config/crm-settings.ts'
import type { Config } from '../config/settings.ts'
import { CrmError, type Fault } from '../contract/errors.ts'
import { didYouMean } from '../contract/names.ts'
import { retryFor } from '../core/call/retry.ts'
import type { AccountSettings, Accounts } from '../core/connections/accounts.ts'
import { publicLookup, targetFault } from '../core/webhooks/targets.ts'
import { DriverError, failureOf } from '../platforms/crms/engine/errors.ts'
import type { CrmKind, OpenOptions } from '../platforms/crms/engine/kind.ts'
import { openCrmPlatform } from '../platforms/crms/engine/open.ts'
import { addressHint } from '../platforms/crms/engine/other-server.ts'
import type { TakeFromRateLimit } from '../platforms/crms/engine/rate-limits.ts'
import { hideSecrets, hideTokens } from '../platforms/crms/engine/secrets.ts'
import type { CrmName } from '../platforms/crms/names.ts'
import { addressFaults, openingOf, partsOf, prepareCrm, secretFaults } from './crms.ts'
import { examineAccount } from './doctor/account.ts'
import { openInAnyCase } from './late-crm.ts'
import type { RequestCounts } from './request-counts.ts'

interface How {
  readonly takeFromRateLimit: TakeFromRateLimit
  readonly counts: RequestCounts
  /** Whether none is opened that need not be. */
  readonly isOffline?: boolean
}

const reconnect = (publicUrl: string | undefined) =>
  `An admin connects it again: ${publicUrl === undefined ? 'in the console under Connections' : `${publicUrl}/#/connections`}, or with crm connect.`

const PRIVATE = 'The address is on a private network.'
const ENTERED_AS_PUBLIC = 'Its name resolves to other addresses than before: ask those who run it. Nothing was sent there.'

const usual = (row: 'quotaFloor' | 'timeout' | 'retry' | 'settle') => CRM_SETTINGS_TABLE[row].number.fallback

/** Opens accounts of CRMs with the settings of connections, as those of the configuration are opened. */
export function createAccounts(
  { crms, connectPrivate, publicUrl }: Pick<Config, 'crms' | 'connectPrivate'> & Partial<Pick<Config, 'publicUrl'>>,
  { takeFromRateLimit, counts, isOffline = false }: How,
): Accounts {
  const advice = reconnect(publicUrl)
  const lookup = connectPrivate ? undefined : publicLookup(() => new DriverError('platform_unavailable', PRIVATE, { hint: ENTERED_AS_PUBLIC }))

  /** What the account is opened with, and the faults of its settings. */
  async function prepared(settings: AccountSettings): Promise<{ kind: CrmKind; opening: OpenOptions; faults: Fault[] }> {
    const faults: Fault[] = []
    const url = `${settings.platform}:${settings.address ?? ''}`
    const more = {
      tokens: settings.tokens,
      openedWith: settings.openedWith,
      onSignIn: settings.onSignIn,
      takeFromRateLimit,
      onRequest: () => counts.add(url),
      retry: retryFor(usual('retry') * 1000),
    }
    const configured = settings.configured ? crms[url] : undefined
    if (configured) {
      const { kind, opening } = await prepareCrm(configured, faults)
      return { kind, opening: { ...opening, ...more }, faults }
    }
    const name = settings.platform as CrmName
    const kind = await partsOf(name).kind()
    const address = crmAddress(url)
    if (address?.fault !== undefined)
      faults.push({
        field: 'Address',
        code: 'form',
        message: 'Address must be an address without a user, a password or a query.',
        ...(kind.address && { expected: `an address such as ${kind.address.example}` }),
      })
    else faults.push(...addressFaults(kind, address?.place ?? '', 'Address'))
    const given: Pick<CrmSettings, 'place' | 'quotaFloor' | 'timeoutMs' | 'sections'> = {
      place: address?.place ?? '',
      quotaFloor: usual('quotaFloor'),
      timeoutMs: usual('timeout') * 1000,
      sections: [{ at: '', tables: settings.tables ?? undefined, options: settings.options }],
    }
    const own: Fault[] = []
    const opening = openingOf(kind, given, settings.secrets, own, (secret) => `${secret} is a secret: give it in Secrets.`)
    faults.push(...own.map((fault) => ({ ...fault, field: fault.field.replace(/^\.options/, 'Options').replace(/^\.tables/, 'Tables') })))
    return { kind, opening: { ...opening, ...more, lookup }, faults }
  }

  async function open(settings: AccountSettings, isTried = false) {
    const { kind, opening } = await prepared(settings)
    hideSecrets(settings.secrets)
    const platform = await asCrmError(openCrmPlatform(kind, { ...opening, reconcileMs: usual('settle') * 1000 }), isTried ? kind.address : undefined)
    return {
      ...platform,
      get supports() {
        return platform.supports
      },
      classify(error: unknown) {
        const failure = platform.classify(error)
        return failure && error instanceof DriverError && error.code === 'unauthenticated' ? { ...failure, hint: advice } : failure
      },
    }
  }

  /** Addresses that a connection must not lead to: an admin of one workspace is not one of the network. */
  async function privateFaults({ optionValues }: CrmKind, { address, options }: AccountSettings): Promise<Fault[]> {
    const places = [['Address', address ?? ''], ...Object.entries(options).map(([name, value]) => [`Options.${name}`, value])] as const
    const faults: Fault[] = []
    for (const [field = '', url = ''] of places) {
      if (!/^https?:/i.test(url) || connectPrivate) continue
      const message = url.toLowerCase().startsWith('http:')
        ? 'The address is not encrypted: secrets would travel as plain text.'
        : (await targetFault(url, false)) && PRIVATE
      if (message) faults.push({ field, code: 'value', message, expected: 'an address that begins with https://, unless CRM_CONNECT_PRIVATE is true' })
    }
    // A host alone would be looked at by none of the checks of addresses.
    for (const [name, value] of Object.entries(options))
      if (optionValues?.[name]?.isAddress && !/^https?:\/\//i.test(value))
        faults.push({ field: `Options.${name}`, code: 'form', message: `${name} must be a whole address.`, expected: 'an address that begins with https://' })
    return faults
  }

  return {
    async faultsOf(settings) {
      const { kind, faults } = await prepared(settings)
      const known = Object.keys(kind.secrets)
      const unknown = Object.keys(settings.secrets).filter((name) => !known.includes(name))
      return [
        ...faults,
        ...unknown.map(
          (name): Fault => ({
            field: `Secrets.${name}`,
            code: 'unknown',
            message: `${kind.label} has no secret called ${JSON.stringify(name)}.`,
            expected: known.join(', '),
            ...didYouMean(name, known),
          }),
        ),
        ...Object.entries(settings.secrets).flatMap(([name, value]) => secretFaults(name, value, `Secrets.${name}`)),
        ...browserFaults(kind, settings),
        ...(await privateFaults(kind, settings)),
      ]
    },
    open: (settings) => open(settings, true),
    async openInAnyCase(name, settings, recall) {
      const { canonicalId } = await partsOf(name as CrmName).kind()
      return openInAnyCase({
        name,
        url: name,
        canonicalId,
        evenRefused: true,
        isOffline,
        open: async () => refusedWithAdvice(open(settings()), advice),
        recall,
      })
    },

    async *examine(settings) {
      const { kind, opening } = await prepared(settings)
      const { platform: name } = settings
      for await (const { name: what, state, says, todo } of examineAccount(kind.label, { name: name as CrmName, quotaFloor: 0 }, { kind }, opening))
        yield { name: what, good: state === 'good' || state === 'doubtful', checked: state !== 'unchecked', text: says, advice: todo }
    },

    async authorization(settings) {
      const { kind, opening } = await prepared(settings)
      const { authorization } = kind
      return (
        authorization && {
          address: (request) => authorization.address(opening, request),
          async exchange(answer) {
            hideTokens(answer.code, answer.verifier)
            return asCrmError(authorization.exchange(opening, answer))
          },
          revoke: async (tokens) => authorization.revoke?.(opening, tokens),
        }
      )
    },
  }
}

/** What an account needs that a person allows in a browser. */
function browserFaults({ label, authorization }: CrmKind, { browser, secrets }: AccountSettings): Fault[] {
  if (!browser) return []
  if (!authorization) return [{ field: 'SignIn', code: 'value', message: `${label} cannot be allowed in a browser.`, expected: 'secrets' }]
  return authorization.secrets.needed
    .filter((name) => !secrets[name])
    .map(
      (name): Fault => ({
        field: `Secrets.${name}`,
        code: 'required',
        message: `Secrets.${name} is required to be allowed in a browser: it is that of your app.`,
      }),
    )
}

/** What callers read where the CRM refuses the connection itself. */
async function refusedWithAdvice<T>(opening: Promise<T>, hint: string): Promise<T> {
  return opening.catch((error: CrmError) => {
    if (error.code !== 'unauthenticated') throw error
    throw new CrmError('unauthenticated', error.message, { cause: error, hint })
  })
}

/** `unauthenticated` is kept: the admin reads the message, and can correct the secrets. With `address`, that may be what is wrong. */
async function asCrmError<T>(asked: Promise<T>, address?: CrmKind['address']): Promise<T> {
  return asked.catch((error: unknown) => {
    const failure = failureOf(error)
    if (!failure || !(error instanceof DriverError)) throw error
    const { message, errors, retryAfter } = failure
    const { hint } = address && failure.hint === undefined && error.code === 'platform_unavailable' ? addressHint(address) : failure
    throw new CrmError(error.code, message, {
      cause: error,
      ...(hint !== undefined && { hint }),
      ...(errors && { errors }),
      ...(retryAfter !== undefined && { retryAfter }),
    })
  })
}
