import { type CompletedCommand, type CompletedFlag, followedFlags } from './completion-model.ts'
import type { Separator } from './offers.ts'

/** The script for zsh: as a file called _crm in $fpath, or sourced after compinit. */
export function zshScript(model: CompletedCommand): string {
  const { commands } = model
  const all = commands.flatMap((command) => [command, ...command.commands])
  return `#compdef crm
# Completion for crm. crm completion zsh > "\${fpath[1]}/_crm", or in ~/.zshrc after compinit: source <(crm completion zsh)
_crm() {
  local command=$words[2] previous=$words[CURRENT-1] before=
  local -a offered
  if ((CURRENT == 2)); then
    offered=(${commands.map(described).join(' ')} 'help:explain a command')
    _describe -t commands command offered
    return
  fi
  case $command in
    help) offered=(${commands.map(described).join(' ')}); ((CURRENT == 3)) && _describe -t commands command offered; return ;;
${commands
  .filter(({ commands: inner }) => inner.length > 0)
  .map(
    ({ path, commands: inner }) => `    ${path[0]})
      if ((CURRENT == 3)); then offered=(${inner.map(described).join(' ')}); _describe -t commands command offered; return; fi
      command="$command $words[3]" ;;`,
  )
  .join('\n')}
  esac
  [[ $previous == --*.*.in && $words[CURRENT] == *,* ]] && before=\${\${(Q)words[CURRENT]}%,*},
  [[ $previous == --*.*.[[:lower:]]* ]] && previous=\${previous%.*}
  case "$command $previous" in
${all.flatMap(valueCases).join('\n')}
  esac
  case "$command \${words[CURRENT]%.*}" in
${all.flatMap(memberCases).join('\n')}
  esac
  case $command in
${all.map(commandCase).join('\n')}
  esac
  _describe -t flags flag offered
}

if [[ $funcstack[1] == _crm ]]; then _crm "$@"; else compdef _crm crm; fi
`
}

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`
const pair = (name: string, help: string) => quoted(help === '' ? name : `${name.replaceAll(':', '\\:')}:${help}`)
const described = ({ path, help }: CompletedCommand) => pair(path.at(-1) ?? '', help)

function commandCase({ path, flags, words, takesFiles }: CompletedCommand): string {
  const offered = [...words.map((word) => quoted(word)), ...flags.flatMap(({ names, help }) => names.map((name) => pair(name, help)))]
  const files = takesFiles ? ` [[ $words[CURRENT] == -* ]] || { _files; return; };` : ''
  return `    ${quoted(path.join(' '))})${files} offered=(${offered.join(' ')}) ;;`
}

const memberCases = (command: CompletedCommand) =>
  followedFlags(command).map(
    ({ members, names }) =>
      `    ${names.map((name) => quoted([...command.path, name].join(' '))).join(' | ')}) offered=(${members.join(' ')}); compadd -- \${words[CURRENT]%.*}.$^offered; return ;;`,
  )

function valueCases({ path, flags }: CompletedCommand): string[] {
  return flags
    .filter(({ value, words }) => value === 'needed' || (value === 'optional' && words.length > 0))
    .map((flag) => `    ${flag.names.map((name) => quoted([...path, name].join(' '))).join(' | ')}) ${completedValue(flag)} ;;`)
}

function completedValue({ value, words, separator, isFile }: CompletedFlag): string {
  if (isFile) return '_files; return'
  const offer = words.length > 0 ? `${before(separator)}offered=(${words.map(quoted).join(' ')}); compadd -- $before$^offered; ` : ''
  return value === 'optional' ? `[[ $words[CURRENT] == -* ]] || { ${offer}return; }` : `${offer}return`
}

/** Keeps what is typed before the value of a list, or of a pair, that is completed. */
function before(separator: Separator | undefined): string {
  if (separator === undefined) return ''
  const keep = `before=\${\${(Q)words[CURRENT]}%${separator}*}${separator}`
  return separator === '=' ? `[[ $words[CURRENT] == *=* ]] || return; ${keep}; ` : `[[ $words[CURRENT] == *,* ]] && ${keep}; `
}
