import { Argument, type Command } from 'commander'
import { describedPlatform, type Extending } from '../../core/call/extension.ts'
import { type Shell, settingsOf } from './app.ts'
import { bashScript } from './completion-bash.ts'
import { fishScript } from './completion-fish.ts'
import { modelOf } from './completion-model.ts'
import { zshScript } from './completion-zsh.ts'
import { write } from './io.ts'
import { whereFlags } from './operation-command.ts'

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript } as const

const INSTALLING = `
It completes commands, flags and the words that a flag may take; with --fields also the fields that only the workspace has, as they are now. To have it in every new shell:
  bash   echo 'eval "$(crm completion bash)"' >> ~/.bashrc
  zsh    crm completion zsh > "\${fpath[1]}/_crm"
  fish   crm completion fish > ~/.config/fish/completions/crm.fish

Example:
  crm completion bash`

/** Prints a script that completes the commands in a shell. */
export function completionCommand(program: Command, shell: Shell, complete: (platform: Extending) => Command): void {
  const command = program
    .command('completion')
    .description('Print a script that completes commands in a shell')
    .addArgument(new Argument('<shell>', 'the shell it is for').choices(Object.keys(SCRIPTS)))
    .option('--fields', 'also the fields that only the workspace has')
    .addHelpText('after', INSTALLING)
    .action(async (name: keyof typeof SCRIPTS, given: Given, self: Command) => {
      const platform = given.fields ? await platformAt(shell, given, self) : CONTRACT
      await write(shell.io, SCRIPTS[name](modelOf(complete(platform))))
    })
  whereFlags(command, shell)
}

interface Given {
  readonly fields?: true
  readonly workspace?: string
}

const CONTRACT: Extending = { name: '', supports: { fields: {}, extras: {} } }

async function platformAt(shell: Shell, { workspace }: Given, command: Command): Promise<Extending> {
  const crm = await shell.client(settingsOf(command, shell), { workspace, mustExist: true })
  try {
    return describedPlatform(await crm.describe({}))
  } finally {
    await crm.close()
  }
}
