import { Argument, type Command, InvalidArgumentError, Option } from 'commander'
import { shellQuote } from '../../helpers/shell-quote.ts'
import type { Shell, Simulation } from './app.ts'
import { write } from './io.ts'
import { offering } from './offers.ts'
import { paintFor } from './paint.ts'
import { padded } from './text.ts'

interface Given {
  readonly port?: number
  readonly host?: string
  readonly fault: readonly string[]
  readonly seed?: number
}

/** The command that starts a CRM that is none. */
export function simulateCommand(program: Command, shell: Shell): void {
  const { io, simulators } = shell
  program
    .command('simulate')
    .description('Simulate a CRM on this machine, with faults where wanted, to try things out on')
    .addArgument(offering(new Argument('<crm>', `the CRM that is simulated: ${simulators.names.join(', ')}`), simulators.names))
    .option('--port <number>', 'the port to listen on, another for each CRM unless given; 0 takes any free one', wholeNumber(65_535))
    .option('--host <address>', 'the address to listen on; this machine alone (127.0.0.1) unless given')
    .addOption(
      offering(
        new Option('--fault <fault>', 'something that goes wrong, such as drop-after=0.1; may be given more than once')
          .argParser((fault: string, before: readonly string[]) => [...before, fault])
          .default([], 'none'),
        Object.keys(simulators.faults),
      ),
    )
    .option('--seed <number>', 'the same number makes the same requests fail; 1 unless given', wholeNumber(2 ** 31))
    .addHelpText('after', () => explained(simulators.faults))
    .action(async (name: string, { port, host, fault: faults, seed }: Given) => {
      const simulation = await simulators.start(name, { port, host, faults, seed })
      if (host !== undefined && !isHere(host)) io.stderr.write(`Everybody who can reach ${host} can do everything with this simulator.\n`)
      await write(io, greeting(simulation, faults, paintFor(io.stdout, io.env).bold))
      await simulation.stopRequested
      await simulation.close()
    })
}

/** Whether an address can only be reached from this machine. */
const isHere = (host: string) => /^(?:localhost|127(?:\.\d+){3}|::1)$/.test(host)

function explained(faults: Shell['simulators']['faults']): string {
  const width = Math.max(...Object.keys(faults).map((name) => name.length))
  return `
It is empty at first, forgets everything at the end, and speaks as the CRM itself does, refusals and all.

Faults:
${Object.entries(faults)
  .map(([name, { help, fallback }]) => `  ${padded(name, width)}  ${help}${fallback === '' ? '' : ` (${fallback})`}`)
  .join('\n')}

Behind = is a chance from 0 to 1, a number of times (3x), a time (500ms, 2s), a count or a field, and behind : a part of the method and
path that it is only for. They can be switched while it runs.

Example:
  crm simulate espocrm
  crm simulate salesforce --port 9000 --fault drop-after=0.1 --fault 'slow=2s:GET /services/data'`
}

function greeting({ label, url, platform, variables }: Simulation, faults: readonly string[], bold: (text: string) => string): string {
  const assigned = Object.entries(variables).map(([name, value]) => `${name}=${shellQuote(value)}`)
  return `${[
    `${label}, simulated. Listening on ${url}`,
    ...(faults.length > 0 ? [`What goes wrong: ${faults.join(', ')}`] : []),
    '',
    'Serve the operations on it:',
    '',
    bold(`  ${[...assigned, 'npx crm serve --platform', shellQuote(platform)].join(' ')}`),
    '',
    'Let something go wrong, end that, and see what there is:',
    '',
    `  curl -s ${url}/simulator/faults -d '["drop-after=0.1"]'`,
    `  curl -s -X DELETE ${url}/simulator/faults`,
    `  curl -s ${url}/simulator`,
    '',
    'Ctrl-C ends it, and it forgets everything.',
    '',
  ].join('\n')}\n`
}

const wholeNumber = (most: number) => (text: string) => {
  if (/^\d{1,10}$/.test(text) && Number(text) <= most) return Number(text)
  throw new InvalidArgumentError(`It must be a whole number, at most ${most}.`)
}
