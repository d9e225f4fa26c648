import { quoted } from '../../../contract/visible-text.ts'
import { DriverError } from '../engine/errors.ts'

/** The version that is spoken unless set. */
export const API_VERSION = '2026-03'
/** The versions before dates: v3, and v4 for associations. */
const UNDATED = 'v3'
const DATED = /^20\d\d-(?:0[1-9]|1[0-2])(?:-beta)?$/

/** Those that there are, in words. */
export const VERSIONS = `${API_VERSION}, a later one, or ${UNDATED}`

/** Where everything is in HubSpot's API, by its version. */
export interface Paths {
  readonly version: string
  readonly objects: string
  /** The objects again, for the associations of one of them. */
  readonly associated: string
  readonly associations: string
  readonly lists: string
  /** All lists: where they are made, and read by their ids. */
  readonly allLists: string
  readonly owners: string
  readonly pipelines: string
  readonly properties: string
  readonly schemas: string
  readonly account: string
  /** Where tokens are exchanged; their scopes are behind it, at `/introspect`. */
  readonly tokens: string
}

export function pathsOf(version: string = API_VERSION): Paths {
  if (version !== UNDATED && !DATED.test(version)) {
    const message = `HubSpot has no version ${quoted(version)} of its API.`
    const errors = [{ field: 'options.apiVersion', code: 'value', message, expected: VERSIONS } as const]
    throw new DriverError('invalid_input', message, { errors, hint: `Set ${VERSIONS}.` })
  }
  const isDated = version !== UNDATED
  const at = (part: string, undated = UNDATED) => (isDated ? `/crm/${part}/${version}` : `/crm/${undated}/${part}`)
  return {
    version,
    objects: at('objects'),
    associated: at('objects', 'v4'),
    associations: at('associations', 'v4'),
    lists: at('lists'),
    allLists: isDated ? at('lists') : `${at('lists')}/`,
    owners: at('owners'),
    pipelines: at('pipelines'),
    properties: at('properties'),
    schemas: isDated ? `/crm-object-schemas/${version}/schemas` : at('schemas'),
    account: `/account-info/${version}/details`,
    tokens: `/oauth/${isDated ? version : API_VERSION}/token`,
  }
}
