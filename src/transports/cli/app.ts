import { type Command, Option } from 'commander'
import type { Crm } from '../../contract/client/client.ts'
import { CrmError, type ErrorCode } from '../../contract/errors.ts'
import type { Audited } from '../../core/journal/audit.ts'
import type { Service } from '../../core/service.ts'
import { type Io, note } from './io.ts'
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
  /** Who has said so. */
  readonly because: string
  /** Whether records there may have fields that only whoever keeps them knows of. */
  readonly mayExtend: boolean
  /** Whether a key says who is calling, rather than whoever has the store. */
  readonly byKey: boolean
}

/** What a look at one thing has found. */
export interface Finding {
  readonly area: string
  readonly name: string
  readonly state: 'good' | 'doubtful' | 'bad'
  readonly says: string
  /** What to do about it. */
  readonly todo?: string
  /** What kind of failure it would be. */
  readonly code?: ErrorCode
}

/** A CRM that is simulated right now. */
export interface Simulation {
  readonly label: string
  readonly url: string
  /** Its address as a platform, and the variables with which a service signs in there. */
  readonly platform: string
  readonly variables: { readonly [variable: string]: string }
  /** Resolves once it is to stop. */
  readonly told: Promise<void>
  close(): Promise<void>
}

/** What the command line can do, put together by whoever sees everything. */
export interface App {
  readonly version: string
  /** The settings that can be given as flags. */
  readonly settings: readonly { readonly name: string; readonly flag: string; readonly help: string }[]
  /** Serves until it is told to stop. */
  serve(flags: Flags): Promise<void>
  /** Serves the operations as tools to whoever is at the other end of standard input and output, until they go or it is told to stop. */
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
    /** Calls a server with a key, kept or not. */
    client(url: string, key: string): Crm
    /** Keeps it, and says in which file. */
    keep(url: string, key: string): string
    /** Forgets it, and says in which file it was; undefined where there was none. */
    forget(): string | undefined
  }
  /** Looks at everything that a command needs, and changes nothing. */
  examine(flags: Flags, how: { readonly deep: boolean }): AsyncIterable<Finding>
  /** CRMs that are none, for trying things out. */
  readonly simulators: {
    readonly names: readonly string[]
    /** What can be made to go wrong. */
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
  /** Opens the local store, and makes one where there is none, unless it must exist. What is written is of the moment that `now` says. */
  open(flags: Flags, mustExist?: boolean, now?: () => number): Promise<{ service: Service; close(): Promise<void> }>
  backup(flags: Flags, file: string, how: Watched): Promise<{ store: string; bytes: number }>
  restore(flags: Flags, file: string, force: boolean, how: Watched): Promise<{ store: string; kept: string | undefined }>
  /** Copies all of a store to where none is yet, and proves that everything has arrived. */
  migrateStore(from: string, to: string, how: Watched): Promise<MovedStore>
}

/** The doors, and what surrounds the command that is run. */
export interface Shell extends App {
  readonly io: Io
}

/** Does something on the local store, and lets go of it. */
export async function onStore<T>(doors: App, flags: Flags, work: (service: Service) => Promise<T>, mustExist = false): Promise<T> {
  const { service, close } = await doors.open(flags, mustExist)
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
export function withSettings(command: Command, doors: App, matters: (name: string) => boolean = isWhere): Command {
  for (const { name, flag, help } of doors.settings) if (matters(name)) command.option(`${flag} <value>`, help)
  return command
}

const isPlace = (name: string) => name === 'platform' || name === 'store'
const isWhere = (name: string) => isPlace(name) || name === 'url'

/** Offers the settings of a command that works on the store itself, and cannot do so through a server. */
export function onStoreOnly(command: Command, shell: Shell): Command {
  return withSettings(command, shell, isPlace)
    .addOption(new Option('--url <url>').hideHelp())
    .hook('preAction', (_, self) => {
      if (self.opts().url === undefined) return tellStore(shell, settingsOf(self, shell))
      throw new CrmError(
        'unsupported',
        `crm ${self.parent?.parent ? `${self.parent.name()} ` : ''}${self.name()} works on the store itself, not through a server.`,
        {
          hint: 'Run it where the store is, without --url.',
        },
      )
    })
}

/** Tells a person that a command does not go where others go. */
function tellStore(shell: Shell, flags: Flags): void {
  const { stderr } = shell.io
  if (!stderr.isTTY || flags.platform !== undefined || flags.store !== undefined) return
  const { server } = shell.where({})
  if (server !== undefined) note(shell.io, `This works on the store itself, not through ${server}.`)
}

export function settingsOf(command: Command, doors: App): Flags {
  const given = command.opts<Record<string, unknown>>()
  return Object.fromEntries(
    doors.settings.flatMap(({ name, flag }) => {
      const value = given[camel(flag)]
      return typeof value === 'string' ? [[name, value]] : []
    }),
  )
}

const camel = (flag: string) => flag.replace(/^--/, '').replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())
