import type { CustomType } from '../../../contract/records/custom-object.ts'
import type { Definition } from '../engine/driver.ts'
import { DriverError } from '../engine/errors.ts'
import type { Api } from './api.ts'
import { NO, YES } from './codec.ts'
import { type CustomField, type CustomShape, customShape } from './custom-shape.ts'
import type { FieldDefs, FieldsDefs } from './metadata.ts'
import { attributeOf, fieldNameOf, objectOf, scopeOf } from './names.ts'

/** How long definitions are cached, and how soon a miss in the cache may reload them. */
const CACHE_MS = 60_000
const RELOAD_MS = 2_000

/** How a field of each type is made. A truth value that may be missing is a choice: EspoCRM's own is always true or false. */
const MADE: { readonly [type in CustomType]: { readonly [parameter: string]: unknown } } = {
  String: { type: 'text' },
  Number: { type: 'float' },
  Boolean: { type: 'enum', options: ['', YES, NO], translatedOptions: { '': '', [YES]: 'Yes', [NO]: 'No' } },
  Date: { type: 'date' },
  DateTime: { type: 'datetime' },
}

/** What the fields that people have made are to us. */
const TYPES: ReadonlyMap<string, CustomType> = new Map([
  ['text', 'String'],
  ['varchar', 'String'],
  ['url', 'String'],
  ['float', 'Number'],
  ['int', 'Number'],
  ['bool', 'Boolean'],
  ['date', 'Date'],
  ['datetime', 'DateTime'],
])

/** The objects that people have made, by our names of them. */
type Catalogue = ReadonlyMap<string, CustomShape>

/** The custom objects of an account: what there is, and how more is made. */
export class CustomObjects {
  private readonly api: Api
  private catalogue: Catalogue = new Map()
  private readAt = Number.NEGATIVE_INFINITY
  private coming: Promise<Catalogue> | undefined
  private designing: Promise<unknown> = Promise.resolve()

  constructor(api: Api) {
    this.api = api
  }

  async objects(): Promise<readonly string[]> {
    return [...(await this.known(CACHE_MS)).keys()]
  }

  async definitions(): Promise<readonly Definition[]> {
    const objects = [...(await this.known(CACHE_MS))]
    return objects.flatMap(([ObjectName, { fields }]) => fields.map(({ name, Type, Label }) => ({ ObjectName, FieldName: name, Type, Label })))
  }

  /** One of the objects, by our name of it. */
  async shape(objectName: string): Promise<CustomShape | undefined> {
    return (await this.known(CACHE_MS)).get(objectName) ?? (await this.known(RELOAD_MS)).get(objectName)
  }

  /** The object that a record is of, by our id of it. */
  async shapeOf(id: string): Promise<CustomShape | undefined> {
    const [scope] = id.split('.')
    const among = (catalogue: Catalogue) => [...catalogue.values()].find(({ object }) => object === scope)
    return among(await this.known(CACHE_MS)) ?? (/^[A-Z][A-Za-z0-9]*\./.test(id) ? among(await this.known(RELOAD_MS)) : undefined)
  }

  /** What was known last of the fields of this name. */
  remembered(fieldName: string): CustomField[] {
    return [...this.catalogue.values()].flatMap(({ fields }) => fields.filter(({ name }) => name === fieldName))
  }

  rememberedObject(scope: string): CustomShape | undefined {
    return [...this.catalogue.values()].find(({ object }) => object === scope)
  }

  /** Makes an object and fields. One after the other: EspoCRM writes what it knows of them into files. */
  define(objectName: string, fresh: readonly Definition[]): Promise<void> {
    const defined = this.designing.then(() => this.designed(objectName, fresh))
    this.designing = defined.catch(() => {})
    return defined
  }

  private async designed(objectName: string, fresh: readonly Definition[]): Promise<void> {
    // Names that cannot be are refused before anything is made.
    const wanted = scopeOf(objectName)
    const fields = fresh.map((definition) => ({ ...definition, attribute: attributeOf(definition.FieldName) }))
    try {
      const scope = (await this.known(0)).get(objectName)?.object ?? (await this.newObject(objectName, wanted))
      for (const { attribute, Type, Label } of fields) await this.newField(scope, { name: attribute, label: Label, ...MADE[Type] })
    } finally {
      this.readAt = Number.NEGATIVE_INFINITY
    }
    await this.check(objectName, fresh)
  }

  /** Idempotent: what already exists is not created, so it may be retried. */
  private async newObject(objectName: string, wanted: string): Promise<string> {
    const body = { name: wanted.slice(1), type: 'Base', labelSingular: objectName, labelPlural: objectName }
    const made = await this.api.post<{ readonly name: string }>('EntityManager/action/createEntity', body, { reads: true }).catch(unlessThere)
    return made?.name ?? wanted
  }

  private async newField(scope: string, field: object): Promise<void> {
    await this.api.post(`Admin/fieldManager/${scope}`, field, { reads: true }).catch(unlessThere)
  }

  /** Another process may have made a field of the same name and another type meanwhile. */
  private async check(objectName: string, fresh: readonly Definition[]): Promise<void> {
    const made = (await this.known(0)).get(objectName)?.fields ?? []
    for (const { FieldName, Type } of fresh) {
      const there = made.find(({ name }) => name === FieldName)
      if (there?.Type === Type) continue
      throw new DriverError(
        'conflict',
        there ? `${FieldName} is a ${there.Type} in EspoCRM.` : `EspoCRM does not show the field ${FieldName} of ${objectName}.`,
      )
    }
  }

  /** What there is, not older than this. */
  private async known(maxAgeMs: number): Promise<Catalogue> {
    if (Date.now() - this.readAt < maxAgeMs) return this.catalogue
    this.coming ??= this.read().finally(() => {
      this.coming = undefined
    })
    return this.coming
  }

  private async read(): Promise<Catalogue> {
    const at = Date.now()
    const [scopes, texts] = await Promise.all([this.api.scopes(), this.api.texts()])
    const names = Object.entries(scopes).flatMap(([name, { isCustom, entity, disabled }]) => (isCustom && entity && !disabled ? [name] : []))
    const found = await Promise.all(names.map(async (scope) => [scope, (await this.api.fieldsOf(scope)) ?? {}] as const))
    const catalogue = new Map<string, CustomShape>()
    for (const [scope, defs] of found) {
      const name = objectOf(scope)
      // Two objects may have the same name without the prefix C; then the one with it wins, as EspoCRM now names new objects.
      if (!catalogue.has(name) || /^C[A-Z]/.test(scope)) catalogue.set(name, customShape(name, scope, fieldsIn(defs, texts[scope]?.fields ?? {})))
    }
    this.catalogue = catalogue
    this.readAt = at
    return catalogue
  }
}

/** Fields that people have made, of types that we have. */
function fieldsIn(defs: FieldsDefs, labels: { readonly [field: string]: string }): CustomField[] {
  return Object.entries(defs).flatMap(([attribute, field]) => {
    const Type = field.isCustom && !field.notStorable ? typeOf(field) : undefined
    if (!Type) return []
    const Label = Object.hasOwn(labels, attribute) ? (labels[attribute] as string) : attribute
    return [{ name: fieldNameOf(attribute), attribute, Type, Label, type: field.type }]
  })
}

function typeOf({ type, options }: FieldDefs): CustomType | undefined {
  if (type !== 'enum') return TYPES.get(type)
  return [...(options ?? [])].sort().join() === ['', NO, YES].join() ? 'Boolean' : undefined
}

function unlessThere(error: unknown): undefined {
  if (error instanceof DriverError && error.code === 'conflict' && /already (?:used|exists)/.test(error.message)) return undefined
  throw error
}
