import { FAULTS } from 'crm-simulators'
import { callTarget, serverUrl } from '../config/call-target.ts'
import { isCrm } from '../config/crm-address.ts'
import { deleteLogin, readLogin, saveLogin } from '../config/login.ts'
import { type Flags, readConfig, SETTINGS_TABLE } from '../config/settings.ts'
import { JOURNAL_STORE } from '../config/settings-table.ts'
import { clientOf } from '../contract/client/client.ts'
import { CrmError } from '../contract/errors.ts'
import { quote } from '../contract/operations.ts'
import { withoutTrailingSlashes } from '../helpers/trailing-slashes.ts'
import { CRM_NAMES } from '../platforms/crms/names.ts'
import type { App } from '../transports/cli/app.ts'
import { connect } from '../transports/sdk/connect.ts'
import { notedAddress } from './noted-address.ts'
import { openService } from './open.ts'
import { serviceAddress } from './service-address.ts'
import { isPostgres, shownStore, sqlitePath } from './store-address.ts'

/** Builds the app that the command line runs. */
export function createApp(version: string, environment: NodeJS.ProcessEnv = process.env): App {
  const configOf = (flags: Flags) => readConfig(flags, environment)
  return {
    version,
    settings: Object.entries(SETTINGS_TABLE).flatMap(([name, row]) =>
      'flag' in row
        ? [
            {
              name,
              flag: row.flag,
              help: 'fallback' in row ? `${row.help} (${row.variable}, ${row.fallback})` : `${row.help} (${row.variable})`,
              values: 'values' in row ? row.values : 'offered' in row ? row.offered : [],
            },
          ]
        : [],
    ),

    async serve(flags: Flags) {
      const { serve } = await import('./serve.ts')
      await serve(readConfig(flags, environment, { serves: true }), version)
    },

    async mcp(flags: Flags, { workspace, ...given }) {
      const [{ serveMcp }, { readToolFilter }] = await Promise.all([import('./mcp.ts'), import('../transports/mcp/tool-filter.ts')])
      const filter = readToolFilter(given, (name) => `--${name}`)
      const crm = await this.client(flags, { workspace, transport: 'mcp' })
      try {
        await serveMcp(crm, filter, version)
      } finally {
        await crm.close()
      }
    },

    async client(flags: Flags, { workspace, mustExist, transport = 'cli' } = {}) {
      const destination = callTarget(flags, environment)
      if (workspace !== undefined && destination.key !== undefined)
        throw new CrmError('invalid_input', '--workspace does not go with a key: a key belongs to one workspace, and says which.', {
          hint: `Leave it out. A key is used because ${destination.because}.`,
        })
      if (destination.kind === 'server') return connect({ baseUrl: destination.url, key: destination.key })
      const { openLocal } = await import('./local.ts')
      const { key } = destination
      // mustExist: a new store would not have this key.
      const isUnknown = !mustExist && key !== undefined && key !== configOf(flags).adminKey
      try {
        return clientOf(await openLocal(flags, { key, workspace, mustExist: mustExist || isUnknown, transport, environment }))
      } catch (error) {
        if (!isUnknown || !(error instanceof CrmError) || error.code !== 'not_found') throw error
        throw new CrmError('unauthenticated', `CRM_KEY is set, but there is no store to check it against: ${error.message}`, {
          hint: 'Unset CRM_KEY to make a store there as its admin, or name the store or server that the key is for.',
          cause: error,
        })
      }
    },

    where(flags: Flags) {
      const { kind, because, key, ...named } = callTarget(flags, environment)
      const server = kind === 'server' && 'url' in named ? named.url : undefined
      if (server !== undefined) return { server, store: undefined, because, byKey: key !== undefined, makesLinks: true }
      const { platform, publicUrl } = configOf(flags)
      return { server, store: shownStore(platform), because, byKey: key !== undefined, makesLinks: publicUrl !== undefined }
    },

    login: {
      server: () => readLogin(environment)?.url,
      address: (text) => serverUrl(text, quote(withoutUser(text))),
      client: (url, key) => connect({ baseUrl: url, key }),
      save: (url, key) => saveLogin(environment, { url, key }),
      remove: () => deleteLogin(environment),
    },

    async *examine(flags: Flags, how) {
      const { examine } = await import('./doctor/examine.ts')
      yield* examine({ flags, environment, version, ...how })
    },

    async signInLink(flags, { at, workspace }) {
      const { signInLink } = await import('../core/access/sign-in-links.ts')
      const config = configOf(flags)
      const { service, close } = await openService(config, { mustExist: true, inAnyCase: 'offline' })
      try {
        return await signInLink(service, withoutTrailingSlashes(at ?? config.publicUrl ?? notedAddress(config) ?? serviceAddress(config)), workspace)
      } finally {
        await close()
      }
    },

    async exportDocs(folder, consoleUrl) {
      const { exportDocs } = await import('./export-docs.ts')
      return exportDocs(folder, consoleUrl)
    },

    simulators: {
      names: CRM_NAMES,
      faults: FAULTS,
      async start(name, how) {
        const { simulate } = await import('./simulate.ts')
        return simulate(name, how)
      },
    },

    open: (flags: Flags, how) => openService(configOf(flags), how),

    async backup(flags: Flags, file, how) {
      const { backupStore } = await import('./move-store.ts')
      const store = theStore(configOf(flags), flags)
      return { store: shownStore(store), bytes: await backupStore(store, file, how) }
    },

    async restore(flags: Flags, file, force, how) {
      const { restoreStore } = await import('./move-store.ts')
      const store = theStore(configOf(flags), flags)
      return { store: shownStore(store), replaced: await restoreStore(store, file, force, how) }
    },

    async migrateStore(from, to, how) {
      for (const url of [from, to]) if (isCrm(url)) throw notAStore(url)
      const { moveStore } = await import('./move-store.ts')
      return moveStore(from, to, how)
    },
  }
}

/** The store of the configuration. Records in a CRM are not part of it. */
function theStore(config: ReturnType<typeof readConfig>, flags: Flags): string {
  const places = [config.store, config.platform, ...Object.values(config.workspaces).map(({ platform }) => platform)]
  const stores = new Set(places.filter((url) => !isCrm(url)))
  if (stores.size > 1 && flags.store === undefined)
    throw new CrmError('invalid_input', 'The configuration names several stores, and each is copied on its own.', {
      hint: `Say which with --store: ${[...stores].map((store) => (sqlitePath(store) === undefined ? shownStore(store) : store)).join(', ')}`,
    })
  if (sqlitePath(config.store) === ':memory:' || !(sqlitePath(config.store) || isPostgres(config.store)))
    throw new CrmError('unsupported', 'Only a store in a file or in a database can be backed up or restored.')
  return config.store
}

const notAStore = (url: string) =>
  new CrmError('unsupported', `${shownStore(url)} is a CRM and no store: its records stay where they are.`, {
    hint: `The store beside it holds users, keys and the journal; ${JOURNAL_STORE} unless CRM_STORE says otherwise.`,
  })

/** An address without the name and password that may be in it. */
function withoutUser(address: string): string {
  const [start, end] = [address.indexOf('//'), address.lastIndexOf('@')]
  return start < 0 || end < start ? address : `${address.slice(0, start)}//…${address.slice(end)}`
}
