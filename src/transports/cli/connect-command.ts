import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Argument, type Command, InvalidArgumentError } from 'commander'
import type { Crm } from '../../contract/client/client.ts'
import { CrmError } from '../../contract/errors.ts'
import { type Shell, settingsOf, withSettings } from './app.ts'
import type { Row } from './cells.ts'
import { ask, askSecretly } from './input.ts'
import { type Io, isAttended } from './io.ts'
import { offering } from './offers.ts'
import { formatOf, present, withOutput } from './output.ts'

/** Where the CRM sends the browser back to; the app in the CRM has to name it. */
const PORT = 8488
const PATH = '/callback'

/** The CRMs whose accounts a person allows in a browser. */
const PLATFORMS = ['salesforce', 'hubspot'] as const

const HELP = `
The client id and secret are those of your app in the CRM, which has to name http://127.0.0.1:${PORT}${PATH} as an address to return to. They
are read from CRM_SALESFORCE_CLIENT_ID and CRM_SALESFORCE_CLIENT_SECRET (or CRM_HUBSPOT_…), or asked for. docs/connections.md shows it all.

Example:
  crm connect salesforce --address https://acme.my.salesforce.com
  crm connect hubspot --label "HubSpot of Acme"
  crm connect salesforce --connection 0k6v2m8q4d9x1c7b5n3t
  crm connect hubspot --link`

interface Given {
  readonly address?: string
  readonly label?: string
  readonly connection?: string
  readonly port: number
  readonly open: boolean
  readonly link?: true
  readonly workspace?: string
}

/** Connects the workspace to an account of a CRM that a person allows in a browser. */
export function connectCommand(program: Command, shell: Shell): void {
  const { io } = shell
  withOutput(withSettings(program.command('connect'), shell), ['json', 'table'])
    .description('Connect the workspace to an account of a CRM, by allowing it in a browser')
    .addArgument(
      offering(new Argument('<platform>', PLATFORMS.join(' or ')), PLATFORMS).argParser((text) => {
        const platform = PLATFORMS.find((name) => name === text.toLowerCase())
        if (platform) return platform
        throw new InvalidArgumentError(`It is ${PLATFORMS.join(' or ')}; other accounts are connected with crm create_connection.`)
      }),
    )
    .option('--address <url>', 'where the account lives, such as https://acme.my.salesforce.com')
    .option('--label <text>', 'what it is called')
    .option('--connection <id>', 'connect this one again, rather than making another')
    .option('--port <port>', 'the port on this machine that the browser comes back to', portIn, PORT)
    .option('--no-open', 'only print the address')
    .option('--workspace <name>', 'the workspace, on the local store')
    .option('--link', 'print a link for the owner of the account instead, which works once')
    .addHelpText('after', HELP)
    .action(async (platform: (typeof PLATFORMS)[number], given: Given, command: Command) => {
      const settings = settingsOf(command, shell)
      if (given.link && !shell.where(settings).makesLinks)
        throw new CrmError('unsupported', 'There is no address at which the owner of the account would reach the service.', {
          hint: 'Set CRM_PUBLIC_URL to the address of the service, or run crm connect without --link.',
        })
      const crm = await shell.client(settings, { workspace: given.workspace })
      try {
        const id = given.connection === undefined ? await created(io, crm, platform, given) : await known(crm, platform, given.connection)
        const connecting = given.link ? crm.connections.authorize({ ConnectionID: id }) : connected(io, crm, id, given)
        const answer = await connecting.catch(async (error: unknown) => {
          // The next attempt begins anew, with the client id and secret that it is given.
          if (given.connection === undefined) await crm.connections.delete({ ConnectionID: id }).catch(() => {})
          throw error
        })
        await present(io, answer, formatOf(command, io))
      } finally {
        await crm.close()
      }
    })
}

/** The id of a connection that is of this platform. */
async function known(crm: Crm, platform: string, ConnectionID: string): Promise<string> {
  const { Records } = await crm.connections.getMany({ Filters: { ConnectionID } })
  if (Records[0]?.Platform === platform) return ConnectionID
  throw new CrmError('not_found', `There is no connection ${ConnectionID} to ${platform}.`, { hint: 'crm get_many_connections lists them.' })
}

function portIn(text: string): number {
  const port = Number(text)
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port
  throw new InvalidArgumentError('It is a whole number from 0 to 65535.')
}

/** The id of a new connection, which waits to be allowed. */
async function created(io: Io, crm: Crm, platform: (typeof PLATFORMS)[number], { address, label }: Given): Promise<string> {
  const prefix = `CRM_${platform.toUpperCase()}`
  const clientId = io.env[`${prefix}_CLIENT_ID`] || (isAttended(io) ? await ask(io, 'Client id of your app: ') : undefined)
  const clientSecret = io.env[`${prefix}_CLIENT_SECRET`] || (isAttended(io) ? await askSecretly(io, 'Client secret (it is not shown): ') : undefined)
  if (!clientId)
    throw new CrmError('invalid_input', 'The client id of your app in the CRM is needed.', { hint: `Set ${prefix}_CLIENT_ID and ${prefix}_CLIENT_SECRET.` })
  const { ConnectionID } = await crm.connections.create({
    Platform: platform,
    SignIn: 'browser',
    Secrets: { clientId, ...(clientSecret && { clientSecret }) },
    ...(address !== undefined && { Address: address }),
    ...(label !== undefined && { Label: label }),
  })
  return ConnectionID
}

async function connected(io: Io, crm: Crm, id: string, { port, open }: Given): Promise<Row> {
  const server = createServer()
  server.listen(port, '127.0.0.1')
  await once(server, 'listening').catch((error: Error) => {
    throw new CrmError('conflict', `The browser cannot come back to port ${port}: ${error.message}`, {
      hint: 'Give another with --port, and name it in your app in the CRM too.',
    })
  })
  try {
    const RedirectURI = `http://127.0.0.1:${(server.address() as AddressInfo).port}${PATH}`
    const { Link } = await crm.connections.authorize({ ConnectionID: id, RedirectURI })
    io.stderr.write(`Allow it in the browser:\n\n  ${Link}\n\n`)
    if (open && isAttended(io)) openBrowser(Link)
    return await comeBack(server, new URL(Link).searchParams.get('state') ?? '', (State, Code) => crm.connections.complete({ State, Code }))
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

/** Waits for the browser, and tells the person in it how it has ended. */
function comeBack(server: Server, expected: string, complete: (state: string, code: string) => Promise<Row>): Promise<Row> {
  return new Promise((resolve, reject) => {
    server.on('request', async (request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1')
      const answer = (status: number, text: string) =>
        new Promise<void>((done) => response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' }).end(`${text}\n`, done))
      if (pathname !== PATH) return void answer(404, 'There is nothing here.')
      const [state, code] = [searchParams.get('state') ?? '', searchParams.get('code')]
      // A page that calls this machine by itself ends nothing.
      if (state !== expected) return void answer(400, 'This is not the answer that is waited for.')
      try {
        if (code === null)
          throw new CrmError(
            'forbidden',
            `The CRM did not let us in: ${searchParams.get('error_description') ?? searchParams.get('error') ?? 'it gave no reason'}.`,
          )
        const connection = await complete(state, code)
        await answer(200, 'It is connected. You can close this page.')
        resolve(connection)
      } catch (error) {
        await answer(400, `It is not connected: ${(error as Error).message}`)
        reject(error)
      }
    })
  })
}

const OPENERS: { readonly [platform: string]: readonly [string, ...string[]] } = { darwin: ['open'], win32: ['cmd', '/c', 'start', ''] }

/** The address was printed too, so that a machine without a browser loses nothing. */
function openBrowser(url: string): void {
  const [program, ...more] = OPENERS[process.platform] ?? ['xdg-open']
  spawn(program, [...more, process.platform === 'win32' ? url.replaceAll('&', '^&') : url], { stdio: 'ignore', detached: true })
    .on('error', () => {})
    .unref()
}
