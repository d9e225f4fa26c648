import type { Role } from '../../contract/records/user.ts'

/** What a person who signs in is made. */
export interface Grant {
  readonly role: Role
  readonly workspace: string
}

/** A person whose claims match all of a rule gets what it grants. */
export interface Rule extends Grant {
  /** The values that a claim may have, by its name. A claim that is a list has to contain one of them. */
  readonly claims: { readonly [claim: string]: readonly (string | number | boolean)[] }
  /** The domains that a verified e-mail address may have; any where there are none. */
  readonly emailDomains: readonly string[]
}

/** How people sign in with OpenID Connect. */
export interface OidcSettings {
  readonly issuer: string
  readonly clientId: string
  /** Without one the client is a public one, which PKCE alone protects. */
  readonly clientSecret: string | undefined
  /** What the console calls the issuer. */
  readonly name: string
  readonly scopes: string
  /** The first that matches decides, in each workspace. */
  readonly rules: readonly Rule[]
  /** What a person gets whom no rule matches; undefined refuses them. */
  readonly unknown: Grant | undefined
  /** Whether a person becomes the existing user with the same verified e-mail address, who has not signed in this way before. */
  readonly linkByEmail: boolean
  readonly sessionMs: number
}
