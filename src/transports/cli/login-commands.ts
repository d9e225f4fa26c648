import { type Command, Option } from 'commander'
import type { Crm } from '../../contract/client/client.ts'
import { CrmError } from '../../contract/errors.ts'
import { type Shell, settingsOf, withSettings } from './app.ts'
import type { Row } from './cells.ts'
import { ask, askSecretly, readStandardInput } from './input.ts'
import { isAttended, note } from './io.ts'
import { formatOf, present, withOutput } from './output.ts'
import { paintFor } from './paint.ts'

const LOCAL_URL = 'http://127.0.0.1:8484'

const ORDER = `
Without --status it asks for the key of a user there, or reads it from standard input, and keeps both where only you can read them.
Where CRM_URL and CRM_KEY are set and no address is given, it keeps those. A key is never a flag: others could see it in the list of
processes.

From then on commands go to that server, unless something nearer says otherwise. The first of these decides:
  --platform, --store   the store itself
  --url                 that server
  CRM_URL               that server, with CRM_KEY
  CRM_PLATFORM, CRM_STORE, CRM_KEY, or a platform or store in crm.config.json
                        the store itself, with CRM_KEY as that key's user
  crm login             the server that is signed in to
  nothing               the store itself, ./data/crm.db, as its first admin

Example:
  crm login --status
  crm login https://crm.example.com
  crm login https://crm.example.com < key.txt`

const INSTEAD_OF_FLAG = `Others could see it in the list of processes. Pipe the key in: crm login ${LOCAL_URL} < key.txt; or set CRM_URL and CRM_KEY, and run: crm login`

/** The commands that say which server others go to. */
export function loginCommands(program: Command, shell: Shell): void {
  const { io } = shell

  withOutput(withSettings(program.command('login'), shell), ['json', 'table'])
    .description('Sign in to a server, so that commands go there')
    .argument('[url]', `the address of the server, such as ${LOCAL_URL}`)
    .option('--status', 'say where commands go, and as whom')
    .addOption(new Option('--key [key]').hideHelp())
    .addHelpText('after', ORDER)
    .action(async (url: string | undefined, { status, key }: { status?: true; key?: string | true }, command: Command) => {
      if (key !== undefined) throw new CrmError('invalid_input', 'login has no flag --key.', { hint: INSTEAD_OF_FLAG })
      const answer = status ? await whereCommandsGo(shell, command) : await signIn(shell, url ?? settingsOf(command, shell).url)
      await present(io, answer, formatOf(command, io))
    })

  withOutput(program.command('logout'), ['json', 'table'])
    .description('Forget the server that was signed in to, and its key')
    .addHelpText('after', '\nThe key itself stays valid; crm revoke_key ends one.\n\nExample:\n  crm logout')
    .action(async (_, command: Command) => {
      const file = shell.login.remove()
      await present(io, { SignedOut: file !== undefined, File: file ?? null }, formatOf(command, io))
      if (file === undefined) note(io, 'You were not signed in.')
    })
}

async function signIn(shell: Shell, named: string | undefined): Promise<Row> {
  const { io } = shell
  const url = shell.login.address(named ?? (io.env.CRM_URL || undefined) ?? (await askForUrl(shell)))
  if (/^http:/.test(url) && !/^http:\/\/(localhost|127\.|\[::1\])/.test(url))
    io.stderr.write(`${paintFor(io.stderr, io.env).yellow('crm:')} ${url} is not encrypted: the key can be read on the way. Use https where you can.\n`)
  const key = (keyAtHand(io, named) ?? (io.stdin.isTTY ? await askSecretly(io, `Key for ${url} (it is not shown): `) : await readStandardInput(io))).trim()
  if (key === '') throw new CrmError('invalid_input', 'There was no key.', { hint: 'crm create_key makes one; paste it when asked, or pipe it in.' })
  const crm = shell.login.client(url, key)
  const user = await whoami(crm)
  const file = shell.login.save(url, key)
  if (shell.where({}).server !== url) note(io, `Commands still go to another place, because ${shell.where({}).because}.`)
  return { Server: url, ...user, File: file }
}

/** CRM_KEY belongs to CRM_URL and is not used for another address; standard input comes first. */
const keyAtHand = ({ env, input }: Shell['io'], named: string | undefined) =>
  named === undefined && env.CRM_URL && input !== 'file' ? env.CRM_KEY || undefined : undefined

async function askForUrl({ io }: Shell): Promise<string> {
  const answer = isAttended(io) ? await ask(io, `Address of the server [${LOCAL_URL}]: `) : undefined
  if (answer === undefined) throw new CrmError('invalid_input', 'login needs URL.', { hint: `Such as: crm login ${LOCAL_URL} < key.txt` })
  return answer || LOCAL_URL
}

async function whereCommandsGo(shell: Shell, command: Command): Promise<Row> {
  const flags = settingsOf(command, shell)
  const { server, store, because, byKey } = shell.where(flags)
  const place = { Server: server ?? null, Store: store ?? null, Because: because, SignedInTo: shell.login.server() ?? null }
  let crm: Crm
  try {
    crm = await shell.client(flags, { mustExist: true })
  } catch (error) {
    if (server === undefined && error instanceof CrmError && error.code === 'not_found')
      return { ...place, Remark: byKey ? 'There is no store yet that could know the key.' : 'There is no store yet; the first command makes it.' }
    throw error
  }
  try {
    return { ...place, ...(await whoami(crm)) }
  } finally {
    await crm.close()
  }
}

async function whoami(crm: Crm): Promise<Row> {
  const { Name, Role, Workspace, Scopes } = await crm.call('get_current_user', {}, { retries: 0 })
  return { User: Name, Role, Workspace, Scopes }
}
