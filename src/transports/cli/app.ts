import { type Command, Option } from 'commander'
import type { Crm } from '../../contract/client/client.ts'
import { CrmError, type ErrorCode } from '../../contract/errors.ts'
import type { Audited } from '../../core/journal/audit.ts'
import type { Service } from '../../core/service.ts'
import { type Io, note } from './io.ts'
import { offering } from './offers.ts'
import type { Watched } from './progress.ts'

/** What has been moved, in names that may be shown. */
export interface MovedStore {
  readonly from: string
  readonly to: string
  readonly tables: readonly { readonly table: string; readonly rows: number; readonly checksum: string }[]
  readonly copied: number
  readonly skipped: number
  readonly audit: readonly Audited[]
}

export type Flags = { readonly [name: string]: string }

/** Where the calls of a command go, in words that may be shown. */
export interface Whereabouts {
  /** The address of the server; undefined where it is the store itself. */
  readonly server: string | undefined
  readonly store: string | undefined
  /** Which setting decides it. */
  readonly because: string
  /** Whether a key identifies the caller; otherwise it is the admin of the store. */
  readonly byKey: boolean
  /** Whether the address is known at which browsers reach the service, so that links to its pages can be made. */
  readonly makesLinks: boolean
}

/** The result of one check. */
export interface Finding {
  readonly area: string
  readonly name: string
  /** `unchecked`: it could not be found out. */
  readonly state: 'good' | 'doubtful' | 'unchecked' | 'bad'
  readonly says: string
  /** What to do about it. */
  readonly todo?: string
  /** What kind of failure it would be. */
  readonly code?: ErrorCode
}

/** A running simulator. */
export interface Simulation {
  readonly label: string
  readonly url: string
  /** Its address as a platform, and the variables with which a service signs in there. */
  readonly platform: string
  readonly variables: { readonly [variable: string]: string }
  /** Resolves on Ctrl-C or SIGTERM. */
  readonly stopRequested: Promise<void>
  close(): Promise<void>
}

/** What commands need from the rest of the program; `src/app/app.ts` implements it. */
export interface App {
  readonly version: string
  /** The settings that can be given as flags. */
  readonly settings: readonly { readonly name: string; readonly flag: string; readonly help: string; readonly values: readonly string[] }[]
  /** Serves until the process is asked to stop. */
  serve(flags: Flags): Promise<void>
  /** Serves the operations as MCP tools over standard input and output, until the client closes them or the process is asked to stop. */
  mcp(
    flags: Flags,
    how: { readonly workspace?: string | undefined } & { readonly [narrowing in 'toolsets' | 'read-only' | 'confirm']?: string | undefined },
  ): Promise<void>
  /**
   * The client the operations are called through: a server's where one is named, else one on the local store, which is made where
   * there is none unless it must exist. Close it.
   */
  client(flags: Flags, how?: { readonly workspace?: string | undefined; readonly mustExist?: boolean; readonly transport?: string }): Promise<Crm>
  /** Where `client` goes. Opens nothing. */
  where(flags: Flags): Whereabouts
  /** A login of this user: a server, and a key that its owner alone can read. */
  readonly login: {
    /** The server that is signed in to. */
    server(): string | undefined
    /** The address in one spelling; refuses what is none. */
    address(text: string): string
    /** A client of a server, with a key that need not be saved. */
    client(url: string, key: string): Crm
    /** Saves it, and returns the file. */
    save(url: string, key: string): string
    /** Removes it, and returns the file that it was in; undefined where there was none. */
    remove(): string | undefined
  }
  /** Checks everything that a command needs, and changes nothing. */
  examine(flags: Flags, how: { readonly deep: boolean }): AsyncIterable<Finding>
  /** A link with which the admin of a workspace of the local store signs in to the console of a service on it, once. */
  signInLink(flags: Flags, how: { readonly at?: string | undefined; readonly workspace?: string | undefined }): Promise<string>
  /** Writes the documentation as static files, and resolves to how many. Links to the console lead to the one at the address. */
  exportDocs(folder: string, consoleUrl: string | undefined): Promise<number>
  /** Simulated CRMs, for trying things out. */
  readonly simulators: {
    readonly names: readonly string[]
    /** The faults that can be simulated. */
    readonly faults: { readonly [name: string]: { readonly fallback: string; readonly help: string } }
    start(
      name: string,
      how: {
        readonly port?: number | undefined
        readonly host?: string | undefined
        readonly faults: readonly string[]
        readonly seed?: number | undefined
      },
    ): Promise<Simulation>
  }
  /**
   * Opens the local store, and makes one where there is none, unless it must exist. What is written is of the moment that `now` says. With `inAnyCase` also where a CRM
   * cannot be opened, and none is with `offline`.
   */
  open(
    flags: Flags,
    how: { readonly mustExist?: boolean; readonly inAnyCase?: boolean | 'offline'; readonly now?: () => number },
  ): Promise<{ service: Service; close(): Promise<void> }>
  backup(flags: Flags, file: string, how: Watched): Promise<{ store: string; bytes: number }>
  restore(flags: Flags, file: string, force: boolean, how: Watched): Promise<{ store: string; replaced: string | undefined }>
  /** Copies all of a store to where none is yet, and proves that everything has arrived. */
  migrateStore(from: string, to: string, how: Watched): Promise<MovedStore>
}

/** The app, with the streams and environment of the command that runs. */
export interface Shell extends App {
  readonly io: Io
}

/** Opens the local store for some work, and closes it. CRMs are opened for work that needs them, as far as they can be. */
export async function onStore<T>(app: App, flags: Flags, work: (service: Service) => Promise<T>, { needsCrms = false } = {}): Promise<T> {
  const { service, close } = await app.open(flags, { mustExist: true, inAnyCase: needsCrms || 'offline' })
  try {
    return await work(service)
  } catch (error) {
    const known = error instanceof CrmError ? undefined : service.store.classify(error)
    throw known ? new CrmError(known.code, known.message, { cause: error, ...(known.hint !== undefined && { hint: known.hint }) }) : error
  } finally {
    await close()
  }
}

/** Offers the settings that matter to a command as flags. */
export function withSettings(command: Command, app: App, matters: (name: string) => boolean = isWhere): Command {
  for (const { name, flag, help, values } of app.settings)
    if (matters(name)) command.addOption(offering(new Option(`${flag} ${isTruth(values) ? '[value]' : '<value>'}`, help), values))
  return command
}

/** A flag that may stand alone, and then means true. */
const isTruth = (values: readonly string[]) => values.length === 2 && values.includes('true') && values.includes('false')

const isPlace = (name: string) => name === 'platform' || name === 'store'
const isWhere = (name: string) => isPlace(name) || name === 'url'

/** Offers the settings of a command that works on the store itself, and cannot do so through a server. */
export function onStoreOnly(command: Command, shell: Shell): Command {
  return withSettings(command, shell, isPlace)
    .addOption(new Option('--url <url>').hideHelp())
    .hook('preAction', (_, self) => {
      if (self.opts().url === undefined) return noteStore(shell, settingsOf(self, shell))
      throw new CrmError(
        'unsupported',
        `crm ${self.parent?.parent ? `${self.parent.name()} ` : ''}${self.name()} works on the store itself, not through a server.`,
        {
          hint: 'Run it where the store is, without --url.',
        },
      )
    })
}

/** Notes on a terminal that a command works on the store, where others would go to a server. */
function noteStore(shell: Shell, flags: Flags): void {
  const { stderr } = shell.io
  if (!stderr.isTTY || flags.platform !== undefined || flags.store !== undefined) return
  const { server } = shell.where({})
  if (server !== undefined) note(shell.io, `This works on the store itself, not through ${server}.`)
}

export function settingsOf(command: Command, app: App): Flags {
  const given = command.opts<Record<string, unknown>>()
  return Object.fromEntries(
    app.settings.flatMap(({ name, flag }) => {
      const value = given[camel(flag)]
      if (value === true) return [[name, 'true']]
      return typeof value === 'string' ? [[name, value]] : []
    }),
  )
}

const camel = (flag: string) => flag.replace(/^--/, '').replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())
