import { examineConfig } from '../../config/settings.ts'
import { createIssuer } from '../../core/oidc/issuer.ts'
import { SignInRefusal } from '../../core/oidc/refusal.ts'
import type { Finding } from '../../transports/cli/app.ts'
import { type DoctorInput, findingsIn } from './findings.ts'

const { good, doubtful, bad, failed } = findingsIn('Sign-in')

/** The issuer with which people sign in: whether its metadata are found and have what is needed. */
export async function* examineSignIn({ flags, environment }: DoctorInput): AsyncGenerator<Finding> {
  const { config, faults } = examineConfig(flags, environment)
  const { oidc, publicUrl, port } = config
  // Faults are reported with the configuration.
  if (!oidc || faults.length > 0) return
  const callback = `${publicUrl ?? `http://localhost:${port}`}/sign-in/oidc/callback`
  yield publicUrl === undefined
    ? doubtful(
        'Address',
        `People come back to the address that they have started at, such as ${callback}.`,
        'Set CRM_PUBLIC_URL unless they are on this machine.',
      )
    : good('Address', `people come back to ${callback}, which has to be registered at the issuer`)
  try {
    const { issuer, authorization_endpoint, token_endpoint, jwks_uri, end_session_endpoint, ...more } = await createIssuer(oidc).discover()
    const missing = Object.entries({ authorization_endpoint, token_endpoint, jwks_uri }).flatMap(([name, value]) => (value === undefined ? [name] : []))
    if (missing.length > 0)
      return yield bad('Issuer', `The metadata of ${issuer} have no ${missing.join(', ')}.`, 'unsupported', 'Is CRM_OIDC_ISSUER an OpenID Connect issuer?')
    const ends = end_session_endpoint === undefined ? 'signing out ends the session here alone' : 'signing out ends the session there too'
    yield good('Issuer', `${issuer} answers; ${ends}`)
    // An issuer that lists nothing may support it.
    if (more.code_challenge_methods_supported && !more.code_challenge_methods_supported.includes('S256'))
      yield doubtful(
        'PKCE',
        'The issuer does not list S256.',
        'A sign-in is then protected by state, nonce and the secret of the client: use a client that has one.',
      )
  } catch (error) {
    const detail = error instanceof SignInRefusal ? (error.detail ?? error.message) : (error as Error).message
    yield failed('Issuer', new Error(`${oidc.issuer}/.well-known/openid-configuration: ${detail}`), 'Is CRM_OIDC_ISSUER written as the issuer writes it?')
  }
  const { rules, unknown } = oidc
  const others = unknown ? `all others become members of ${unknown.workspace}` : 'all others are refused'
  yield good('Rules', `${rules.length} ${rules.length === 1 ? 'rule' : 'rules'}; ${others}`)
}
