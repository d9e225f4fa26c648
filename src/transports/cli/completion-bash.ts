import { type CompletedCommand, type CompletedFlag, followedFlags } from './completion-model.ts'

/** The script for bash 3.2 and newer, without bash-completion. */
export function bashScript(model: CompletedCommand): string {
  const commands = model.commands
  const all = commands.flatMap((command) => [command, ...command.commands])
  return `# Completion for crm. In ~/.bashrc: eval "$(crm completion bash)"
_crm_offer() {
  local line
  while IFS= read -r line; do
    [[ -n $line && $line == "$cur"* ]] || continue
    line=$flag$line
    line=\${line:skipped}
    if [[ -z $quote ]]; then printf -v line %q "$line"; line=\${line//\\\\,/,}; fi
    COMPREPLY+=("$line")
  done <<< "$1"
}

_crm_after() {
  local line before= lines=
  if [[ -n $1 && $cur == *"$1"* ]]; then before=\${cur%"$1"*}$1; elif [[ $1 == = ]]; then return; fi
  while IFS= read -r line; do lines+=$before$line$'\\n'; done <<< "$2"
  _crm_offer "$lines"
}

_crm_members() {
  local name lines=
  for name; do lines+=\${cur%.*}.$name$'\\n'; done
  _crm_offer "$lines"
}

_crm_files() {
  local line
  compopt -o filenames 2> /dev/null
  while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "$cur")
}

_crm() {
  local at=$COMP_CWORD before= cur=\${COMP_WORDS[COMP_CWORD]} command=\${COMP_WORDS[1]} prev flag= quote= skipped list= flags= words= files=
  COMPREPLY=()
  # Bash takes : and = for words of their own, and completes only what is behind the last of them.
  case $cur in [:=]*) before=$cur cur= ;; esac
  while ((at > 2)) && [[ \${COMP_WORDS[at]} == [:=]* || \${COMP_WORDS[at - 1]} == [:=]* ]]; do
    ((at--))
    before=\${COMP_WORDS[at]}$before
  done
  prev=\${COMP_WORDS[at - 1]} before=\${before//\\\\/} skipped=\${#before}
  case $cur in [\\'\\"]*) quote=\${cur:0:1} cur=\${cur:1} ;; *) cur=\${cur//\\\\/} ;; esac
  cur=$before$cur
  case $cur in --*=*) prev=\${cur%%=*} flag=$prev= cur=\${cur#*=} ;; esac
  if ((COMP_CWORD == 1)); then
    _crm_offer ${ansi([...commands.map(nameOf), 'help', '--help', '--version'].join('\n'))}
    return
  fi
  case $command in
    help) ((COMP_CWORD == 2)) && _crm_offer ${ansi(commands.map(nameOf).join('\n'))}; return ;;
${commands
  .filter(({ commands: inner }) => inner.length > 0)
  .map(
    ({ path, commands: inner }) => `    ${path[0]})
      if ((COMP_CWORD == 2)); then _crm_offer ${ansi(inner.map(nameOf).join('\n'))}; return; fi
      command="$command \${COMP_WORDS[2]}" ;;`,
  )
  .join('\n')}
  esac
  case $prev in --*.*.in) list=, prev=\${prev%.*} ;; --*.*.[[:lower:]]*) prev=\${prev%.*} ;; esac
  case "$command $prev" in
${all.flatMap(valueCases).join('\n')}
  esac
  case "$command \${cur%.*}" in
${all.flatMap(memberCases).join('\n')}
  esac
  case $command in
${all.map(commandCase).join('\n')}
  esac
  if [[ -n $files && $cur != -* ]]; then _crm_files; else _crm_offer "$words$flags"; fi
}

complete -F _crm crm
`
}

const nameOf = ({ path }: CompletedCommand) => path.at(-1) ?? ''

/** Quotes a text for bash. */
const ansi = (text: string) => `$'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\n', '\\n')}'`

function commandCase({ path, flags, words, takesFiles }: CompletedCommand): string {
  const offered = ansi(flags.flatMap(({ names }) => names).join('\n'))
  const more = words.length > 0 ? ` words=${ansi(`${words.join('\n')}\n`)}` : ''
  return `    ${quoted(path)}) flags=${offered}${more}${takesFiles ? ' files=yes' : ''} ;;`
}

/** Completions for the names after a flag and a dot. */
const memberCases = (command: CompletedCommand) =>
  followedFlags(command).map(
    ({ members, names }) => `    ${names.map((name) => quoted([...command.path, name])).join(' | ')}) _crm_members ${members.join(' ')}; return ;;`,
  )

/** Completions for the value of a flag: its choices, files, or none. */
function valueCases({ path, flags }: CompletedCommand): string[] {
  return flags
    .filter(({ value, words }) => value === 'needed' || (value === 'optional' && words.length > 0))
    .map((flag) => `    ${flag.names.map((name) => quoted([...path, name])).join(' | ')}) ${completedValue(flag)} ;;`)
}

function completedValue({ value, words, separator, isFile }: CompletedFlag): string {
  if (isFile) return '_crm_files; return'
  const offer = words.length > 0 ? `_crm_after "\${list:-${separator ?? ''}}" ${ansi(words.join('\n'))}; ` : ''
  // An optional value may be omitted, so flags are offered too.
  return value === 'optional' ? `[[ $cur == -* ]] || { ${offer}return; }` : `${offer}return`
}

const quoted = (words: readonly string[]) => `'${words.join(' ')}'`
