import { Argument, type Command } from 'commander'
import type { Shell } from './app.ts'
import { bashScript } from './completion-bash.ts'
import { fishScript } from './completion-fish.ts'
import { modelOf } from './completion-model.ts'
import { zshScript } from './completion-zsh.ts'
import { write } from './io.ts'

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript } as const

const INSTALLING = `
It completes commands, flags and the words that a flag may take. To have it in every new shell:
  bash   echo 'eval "$(crm completion bash)"' >> ~/.bashrc
  zsh    crm completion zsh > "\${fpath[1]}/_crm"
  fish   crm completion fish > ~/.config/fish/completions/crm.fish

Example:
  crm completion bash`

/** Prints a script that completes the commands in a shell. */
export function completionCommand(program: Command, { io }: Shell, complete: () => Command): void {
  program
    .command('completion')
    .description('Print a script that completes commands in a shell')
    .addArgument(new Argument('<shell>', 'the shell it is for').choices(Object.keys(SCRIPTS)))
    .addHelpText('after', INSTALLING)
    .action((shell: keyof typeof SCRIPTS) => write(io, SCRIPTS[shell](modelOf(complete()))))
}
