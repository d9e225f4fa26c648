import type { CompletedCommand, CompletedFlag } from './completion-model.ts'

/** The script for fish. */
export function fishScript({ commands }: CompletedCommand): string {
  const all = commands.flatMap((command) => [command, ...command.commands])
  return `# Completion for crm. crm completion fish > ~/.config/fish/completions/crm.fish
function __crm_is
  set -l words (commandline -opc)
  test "$words[2]" = "$argv[1]"; and begin
    test (count $argv) -lt 2; or test "$words[3]" = "$argv[2]"
  end
end

function __crm_at
  test (count (commandline -opc)) -eq $argv[1]; and begin
    test (count $argv) -lt 2; or __crm_is $argv[2]
  end
end

function __crm_in
  string match -q -- "$argv[1].*" (commandline -ct)
end

function __crm_after
  string match -q -- "$argv[1].*" (commandline -opc)[-1]
end

function __crm_list
  set -l token (commandline -ct)
  set -l value (string replace -r '^--[^=]*=' '' -- "$token")
  set -l before (string match -r ".*$argv[1]" -- "$value")
  test "$argv[1]" = ,; or test -n "$before"; or return
  for word in $argv[2..-1]
    echo "$before$word"
  end
end

complete -c crm -f
${commands.map((command) => word([], command)).join('\n')}
complete -c crm -n '__crm_at 1' -a help -d 'explain a command'
${commands.flatMap(({ path, commands: inner }) => inner.map((command) => word(path, command))).join('\n')}
${all.flatMap(commandLines).join('\n')}
`
}

const quoted = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`

function word(before: readonly string[], { path, help }: CompletedCommand): string {
  return `complete -c crm -n ${quoted(['__crm_at', before.length + 1, ...before].join(' '))} -a ${quoted(path.at(-1) ?? '')} -d ${quoted(help)}`
}

function commandLines({ path, flags, words, takesFiles, commands }: CompletedCommand): string[] {
  const condition = `complete -c crm -n ${quoted(['__crm_is', ...path].join(' '))}`
  if (commands.length > 0) return []
  return [
    ...(takesFiles ? [`${condition} -F`] : []),
    ...(words.length > 0 ? [`${condition} -a ${list(words)}`] : []),
    ...flags.map((flag) => `${condition} ${names(flag)} ${value(flag)} -d ${quoted(flag.help)}`.replace(/ {2,}/g, ' ')),
    ...flags.flatMap((flag) => memberLines(path, flag)),
  ]
}

const names = ({ names: all }: CompletedFlag) => all.map((name) => (name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`)).join(' ')

/** Nested flags, offered only once the dot is typed. */
function memberLines(path: readonly string[], flag: CompletedFlag): string[] {
  return flag.members.flatMap((member) =>
    flag.names.map((name) => {
      const condition = `__crm_is ${path.join(' ')}; and begin; __crm_in ${name}; or __crm_after ${name}; end`
      return `complete -c crm -n ${quoted(condition)} -l ${name.slice(2)}.${member} ${value(member === 'in' ? { ...flag, separator: ',' } : flag)}`
    }),
  )
}

function value({ value: follows, words, separator, isFile }: CompletedFlag): string {
  if (follows === 'none') return ''
  if (isFile) return '-r -F'
  return `${follows === 'needed' ? '-x' : '-f'}${words.length > 0 ? ` -a ${list(words, separator)}` : ''}`
}

/** Quotes choices, which may contain blanks. */
const list = (words: readonly string[], separator?: string) =>
  quoted(`(${separator === undefined ? "printf '%s\\n'" : `__crm_list ${separator}`} ${words.map(quoted).join(' ')})`)
