import type { WireRequest, World } from '../simulated.ts'
import { Associations } from './associations/association-store.ts'
import { AssociationTypes } from './associations/association-types.ts'
import { Refusal } from './errors.ts'
import type { Limits } from './limits.ts'
import type { List } from './lists/list.ts'
import { Calculations } from './objects/calculations.ts'
import type { ObjectDefinition } from './objects/object-definition.ts'
import { OTHER_OBJECTS } from './objects/other-objects.ts'
import { type Moment, Records, type StoredRecord } from './objects/records.ts'
import type { Schema } from './objects/schema.ts'
import { STANDARD_OBJECTS } from './objects/standard-objects.ts'
import { type Pipeline, standardPipelines } from './pipelines/standard-pipelines.ts'
import type { Property } from './properties/property.ts'
import type { Rule } from './properties/rule.ts'
import { Sessions } from './sign-in/sessions.ts'

export interface Owner {
  readonly id: string
  readonly userId: number
  readonly email: string
  readonly firstName: string
  readonly lastName: string
  readonly createdAt: number
}

export interface Group {
  readonly name: string
  readonly label: string
  readonly displayOrder: number
}

/** An object type with its properties, pipelines and records. */
export interface ObjectType extends ObjectDefinition {
  readonly fields: Map<string, Property>
  readonly groups: Map<string, Group>
  readonly pipelines: Pipeline[] | undefined
  readonly records: Records
}

const FIRST_ID = 401_000_000_001
const FIRST_OWNER = 71_000_001
const FIRST_CUSTOM = 40_100_001

/** A HubSpot account, in memory. */
export class Portal {
  readonly id = 145_000_001
  readonly world: World
  readonly sessions: Sessions
  readonly associationTypes = new AssociationTypes()
  readonly associations = new Associations()
  readonly calculations = new Calculations()
  readonly owners: Owner[] = []
  readonly lists = new Map<string, List>()
  readonly schemas = new Map<string, Schema>()
  readonly rules: Rule[] = []
  /** The present request; undefined while there is none. */
  request: WireRequest | undefined
  /** The version in its path. */
  version = ''
  /** The person who makes it; undefined for an app. */
  userId: number | undefined
  /** Calls today, and when the latest came. */
  readonly calls = { day: 0, today: 0, lately: [] as number[], searches: [] as number[] }
  readonly limits: Limits
  private readonly types = new Map<string, ObjectType>()
  private readonly byName = new Map<string, ObjectType>()
  private made = 0
  private madeCustom = 0
  private madeOther = 0

  constructor(world: World, limits: Limits) {
    this.world = world
    this.limits = limits
    this.sessions = new Sessions(() => this.now())
    for (const definition of [...STANDARD_OBJECTS, ...OTHER_OBJECTS]) this.addType(definition)
    this.addOwner('integration@simulator.example', 'Integration', 'User')
  }

  now(): number {
    return this.world.now().getTime()
  }

  nextId(): string {
    return String(FIRST_ID + 37 * this.made++)
  }

  nextCustomId(): string {
    return `2-${FIRST_CUSTOM + this.madeCustom++}`
  }

  /** For lists, pipelines and stages. */
  nextNumber(): number {
    return ++this.madeOther
  }

  /** When the present request writes. */
  moment(): Moment {
    const now = this.now()
    const late = this.request && this.world.faults.amount('late-rows', this.request)
    return { now, stamp: this.world.stamp().getTime(), horizon: this.horizon, showsAt: late === undefined ? undefined : now + late }
  }

  get horizon(): number | undefined {
    const lag = this.world.faults.amount('index-lag')
    return lag === undefined ? undefined : this.now() - lag
  }

  /** Lets calculated properties move the modified date of a record that was written. */
  calculateLater(type: ObjectType, record: StoredRecord): void {
    const { faults, random } = this.world
    this.calculations.schedule(type, record, this.request && faults.happens('calculated', this.request) ? random() : undefined)
  }

  addOwner(email: string, firstName: string, lastName: string): Owner {
    const number = this.owners.length
    const owner = { id: String(FIRST_OWNER + number), userId: 61_000_001 + number, email, firstName, lastName, createdAt: this.now() }
    this.owners.push(owner)
    return owner
  }

  addType(definition: ObjectDefinition, names: readonly string[] = [definition.plural, definition.singular]): ObjectType {
    const fields = new Map(definition.properties.map((property) => [property.name, { ...property, groupName: property.groupName || definition.groupName }]))
    const label = `${definition.singular[0]?.toUpperCase()}${definition.singular.slice(1)} information`
    const type: ObjectType = {
      ...definition,
      fields,
      groups: new Map([[definition.groupName, { name: definition.groupName, label, displayOrder: 0 }]]),
      pipelines: standardPipelines(definition.id, this.now()),
      records: new Records(() => uniqueOf(fields)),
    }
    this.types.set(type.id, type)
    for (const name of [type.id, ...names]) this.byName.set(name.toLowerCase(), type)
    return type
  }

  removeType(type: ObjectType): void {
    this.types.delete(type.id)
    for (const [name, one] of this.byName) if (one === type) this.byName.delete(name)
  }

  allTypes(): Iterable<ObjectType> {
    return this.types.values()
  }

  typeWithId(id: string): ObjectType {
    return this.types.get(id) as ObjectType
  }

  knownType(name: string): ObjectType | undefined {
    return this.byName.get(name.toLowerCase())
  }

  /** A type by any of its names: contacts, contact, 0-1, 2-40100001, p145000001_boat, p_boat. */
  type(name: string): ObjectType {
    const found = this.knownType(name)
    if (!found) throw new Refusal(400, `Unable to infer object type from: ${name}`)
    return found
  }

  /** Whether the fault `field-security` hides a property. */
  hides(type: ObjectType, property: string): boolean {
    return this.world.faults.names('field-security').some((name) => {
      const [object = '', field = ''] = name.split('.')
      return field.toLowerCase() === property.toLowerCase() && this.knownType(object) === type
    })
  }

  /** A property, unless hidden. */
  visible(type: ObjectType, property: string): Property | undefined {
    const found = type.fields.get(property)
    return found && !this.hides(type, property) ? found : undefined
  }
}

/** The unique properties, except for the id, which has its own index. */
function uniqueOf(fields: Map<string, Property>): readonly string[] {
  return [...fields.values()].flatMap(({ name, hasUniqueValue }) => (hasUniqueValue && name !== 'hs_object_id' ? [name] : []))
}
