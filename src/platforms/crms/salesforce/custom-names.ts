import { DriverError } from '../engine/errors.ts'

/** What marks a name of the account's own. */
const SUFFIX = '__c'
const LONGEST = 40

/** What marks a name that Salesforce would not take as it is. */
const MARK = '_esc'

/** Salesforce takes no two underscores in a row and none at the end. */
const natural = (name: string) => /^[A-Za-z](?:_?[A-Za-z0-9])*$/.test(name)

/** What an escaped name stands for; undefined for one that is not escaped. */
function unescaped(name: string): string | undefined {
  const body = name.endsWith(MARK) ? name.slice(0, -MARK.length) : ''
  if (!/^(?:Z5[af]|[A-Ya-z0-9])+$/.test(body)) return undefined
  const meant = body.replace(/Z5([af])/g, (_, which: string) => (which === 'f' ? '_' : 'Z'))
  return needsEscape(meant) ? meant : undefined
}

const needsEscape = (name: string) => !natural(name) || unescaped(name) !== undefined

/** The name that something of ours gets in Salesforce: Boat is Boat__c. It is refused where Salesforce takes no such name. */
export function apiName(name: string): string {
  const escaped = needsEscape(name) ? `${name.replace(/[Z_]/g, (char) => (char === 'Z' ? 'Z5a' : 'Z5f'))}${MARK}` : name
  if (escaped.length > LONGEST) {
    throw new DriverError('unsupported', `Salesforce takes no name of more than ${LONGEST} characters, and ${name} would be ${escaped}.`, {
      hint: 'Choose a shorter name, without two underscores in a row.',
    })
  }
  return `${escaped}${SUFFIX}`
}

/** The way back; undefined for what is not the account's own. What came with a package keeps the package's name before its own. */
export function ownName(api: string): string | undefined {
  if (!api.endsWith(SUFFIX)) return undefined
  const name = api.slice(0, -SUFFIX.length)
  return unescaped(name) ?? name
}
