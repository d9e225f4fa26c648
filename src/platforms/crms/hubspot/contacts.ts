import type { Table } from '../engine/tables.ts'
import type { FilterGroups } from './filters.ts'
import type { Objects, Row } from './objects.ts'
import { Records } from './records.ts'

/** Contacts that are no leads, where leads are contacts too: those that lack one of the values that every lead has. */
export class Contacts extends Records {
  private readonly leads: readonly (readonly [property: string, value: string])[]

  constructor(objects: Objects, table: Table, { fixed = {} }: Table, phones: readonly string[]) {
    super('Contact', objects, table, phones)
    this.leads = Object.entries(fixed).map(([name, value]) => [name, String(value)])
  }

  protected override standing(owners: readonly string[] | undefined): FilterGroups[] {
    const others = this.leads.flatMap(
      ([propertyName, value]): FilterGroups => [[{ propertyName, operator: 'NEQ', value }], [{ propertyName, operator: 'NOT_HAS_PROPERTY' }]],
    )
    return [...super.standing(owners), others]
  }

  protected override properties(...query: Parameters<Records['properties']>): string[] {
    return [...new Set([...super.properties(...query), ...this.leads.map(([name]) => name)])]
  }

  protected override isOurs(row: Row): boolean {
    return super.isOurs(row) && this.leads.some(([name, value]) => row.properties[name] !== value)
  }
}
