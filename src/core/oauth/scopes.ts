import { covers, roleAllows } from '../access/access.ts'
import { readScope } from '../access/read-scope.ts'
import type { Caller } from '../service.ts'
import { OAuthError } from './errors.ts'

const DEFAULT_SCOPES = ['read', 'write']
/** Asked for by clients that want a refresh token, which every client gets. */
const WITHOUT_MEANING: readonly string[] = ['offline_access']
/** What goes beyond the person's own workspace is for keys alone. */
const OPERATOR = 'operator'
const MAX_SCOPES = 50

/** The scopes of a `scope` parameter, each in its canonical spelling; those that a wider one includes are left out. */
export function readScopes(text: string | undefined): string[] {
  const names = (text ?? '').split(' ').filter((name) => name !== '' && !WITHOUT_MEANING.includes(name))
  if (names.length === 0) return DEFAULT_SCOPES
  if (names.length > MAX_SCOPES) throw new OAuthError('invalid_scope', `At most ${MAX_SCOPES} scopes can be asked for.`)
  const read = names.map((name) => readScope(name, 'scope'))
  const faults = read.filter((one) => typeof one !== 'string')
  if (faults.length > 0) throw new OAuthError('invalid_scope', faults.map(({ message }) => message).join(' '), { errors: faults })
  const scopes = [...new Set(read as string[])]
  return scopes.filter((scope) => !scopes.some((wider) => wider !== scope && covers([wider], scope)))
}

/** What a person may grant of the scopes that were asked for: no more than their role and the key that they signed in with allow. */
export function grantable(asked: readonly string[], { role, scopes }: Pick<Caller, 'role' | 'scopes'>): string[] {
  const parts = asked.flatMap((scope) => (covers(scopes, scope) ? [scope] : scopes.filter((own) => covers([scope], own))))
  return [...new Set(parts)].filter((scope) => roleAllows(role, scope) && !scope.startsWith(OPERATOR))
}

/** Refuses scopes beyond those that were granted. */
export function refuseBeyond(granted: readonly string[], asked: readonly string[]): void {
  const beyond = asked.filter((scope) => !covers(granted, scope))
  if (beyond.length > 0) throw new OAuthError('invalid_scope', `${beyond.join(' ')} is more than was granted, which is ${granted.join(' ')}.`)
}
