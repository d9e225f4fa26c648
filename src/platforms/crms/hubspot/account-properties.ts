import { DriverError } from '../engine/errors.ts'
import type { Hub } from './hub.ts'
import { settled } from './objects.ts'
import type { Choice } from './standard-words.ts'

/** A property as an account describes it. */
export interface Property {
  readonly name: string
  readonly label: string
  readonly type: string
  readonly fieldType: string
  readonly groupName?: string
  readonly options?: readonly { readonly label: string; readonly value: string; readonly hidden?: boolean }[]
  /** Whether the options are those of something else, such as owners. */
  readonly externalOptions?: boolean
  readonly hasUniqueValue?: boolean
  readonly hubspotDefined?: boolean
  readonly calculated?: boolean
  readonly archived?: boolean
  readonly hidden?: boolean
  readonly modificationMetadata?: { readonly readOnlyValue?: boolean }
}

/** Codes of an account that does not let the app read its definitions, or does not offer them, rather than failing. */
const UNTOLD: ReadonlySet<string> = new Set(['forbidden', 'not_found', 'platform_rejected'])

/** The properties of an account's objects, each object read once. */
export class AccountProperties {
  private readonly connection: Hub
  private readonly known = new Map<string, Promise<readonly Property[] | undefined>>()
  private readonly forbidden = new Set<string>()

  constructor(connection: Hub) {
    this.connection = connection
  }

  /** Undefined where the account does not tell: the properties may be used all the same. */
  of(object: string): Promise<readonly Property[] | undefined> {
    const properties = this.known.get(object) ?? this.read(object)
    this.known.set(object, properties)
    return properties
  }

  /** Whether the app may not see an object at all. */
  async isForbidden(object: string): Promise<boolean> {
    await this.of(object)
    return this.forbidden.has(object)
  }

  private async read(object: string): Promise<readonly Property[] | undefined> {
    const answer = await settled(propertiesOf(this.connection, object))
    if (!(answer instanceof DriverError)) return answer
    if (answer.code === 'forbidden') this.forbidden.add(object)
    if (UNTOLD.has(answer.code)) return undefined
    throw answer
  }
}

/** The properties of an object; undefined where the answer has none. */
export async function propertiesOf(connection: Hub, object: string): Promise<readonly Property[] | undefined> {
  const path = `${connection.paths.properties}/${encodeURIComponent(object)}?archived=false`
  const answer = await connection.json<{ results?: readonly Property[] } | undefined>({ method: 'GET', path })
  return Array.isArray(answer?.results) ? answer.results : undefined
}

/** The options of a choice that are offered. */
export function choicesOf({ options = [] }: Property): Choice[] {
  return options.filter(({ hidden }) => !hidden).map(({ label, value }) => ({ label, id: value }))
}

export const isReadOnly = ({ calculated, modificationMetadata }: Property) => Boolean(calculated || modificationMetadata?.readOnlyValue)

/** Whether several options can be chosen at once. */
export const isMultiple = ({ type, fieldType }: Property) => type === 'enumeration' && fieldType === 'checkbox'

/** The properties by which HubSpot finds telephone numbers in any spelling: their digits, without the country code. */
export const searchablePhones = (properties: readonly Property[] = []): string[] =>
  properties.flatMap(({ name }) => (/^hs_searchable_calculated_(?:phone|mobile)_number$/.test(name) ? [name] : []))
