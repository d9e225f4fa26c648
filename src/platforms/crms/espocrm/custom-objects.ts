import type { CustomType } from '../../../contract/records/custom-object.ts'
import type { Definition } from '../engine/driver.ts'
import { DriverError } from '../engine/errors.ts'
import type { Api } from './api.ts'
import { NO, YES } from './codec.ts'
import { type CustomField, type CustomShape, customShape } from './custom-shape.ts'
import type { EntityDefs, FieldDefs } from './metadata.ts'
import { attributeOf, fieldNameOf, objectOf, scopeOf } from './names.ts'

/** How long definitions are cached, and how soon a miss in the cache may reload them. */
const CACHE_MS = 60_000
const RELOAD_MS = 2_000

/** How a field of each type is made. A truth value that may be missing is a choice: EspoCRM's own is always true or false. */
const MADE: { readonly [type in Exclude<CustomType, 'Reference'>]: { readonly [parameter: string]: unknown } } = {
  String: { type: 'text' },
  Number: { type: 'float' },
  Boolean: { type: 'enum', options: ['', YES, NO], translatedOptions: { '': '', [YES]: 'Yes', [NO]: 'No' } },
  Date: { type: 'date' },
  DateTime: { type: 'datetime' },
  Choice: { type: 'enum' },
  Choices: { type: 'multiEnum' },
}

/** What the fields that people have made are to us. */
const TYPES: ReadonlyMap<string, CustomType> = new Map([
  ['text', 'String'],
  ['varchar', 'String'],
  ['url', 'String'],
  ['wysiwyg', 'String'],
  ['email', 'String'],
  ['phone', 'String'],
  ['enum', 'Choice'],
  ['link', 'Reference'],
  ['multiEnum', 'Choices'],
  ['array', 'Choices'],
  ['checklist', 'Choices'],
  ['float', 'Number'],
  ['int', 'Number'],
  ['currency', 'Number'],
  ['bool', 'Boolean'],
  ['date', 'Date'],
  ['datetime', 'DateTime'],
])

/** The objects that people have made, by our names of them. */
type Catalogue = ReadonlyMap<string, CustomShape>

/** The custom objects of an account: what there is, and how more is made. */
export class CustomObjects {
  private readonly api: Api
  private readonly typeOf: (object: string) => string | undefined
  private catalogue: Catalogue = new Map()
  private readAt = Number.NEGATIVE_INFINITY
  private coming: Promise<Catalogue> | undefined
  private designing: Promise<unknown> = Promise.resolve()

  /** `typeOf` tells the record type of ours that an object of EspoCRM is. */
  constructor(api: Api, typeOf: (object: string) => string | undefined) {
    this.api = api
    this.typeOf = typeOf
  }

  async objects(): Promise<readonly string[]> {
    return [...(await this.known(CACHE_MS)).keys()]
  }

  async definitions(): Promise<readonly Definition[]> {
    const objects = [...(await this.known(CACHE_MS))]
    return objects.flatMap(([ObjectName, { fields }]) =>
      fields.map(({ name, Type, Label, Values, RefersTo }) => ({
        ObjectName,
        FieldName: name,
        Type,
        Label,
        ...(Values && { Values }),
        ...(RefersTo && { RefersTo }),
      })),
    )
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
    const fields = fresh.map((definition) => ({ name: attributeOf(definition.FieldName), label: definition.Label, ...parametersOf(definition) }))
    try {
      const scope = (await this.known(0)).get(objectName)?.object ?? (await this.newObject(objectName, wanted))
      for (const field of fields) await this.newField(scope, field)
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
    const found = await Promise.all(names.map(async (scope) => [scope, await this.api.entity(scope)] as const))
    const catalogue = new Map<string, CustomShape>()
    for (const [scope, defs] of found) {
      const name = objectOf(scope)
      // Two objects may have the same name without the prefix C; then the one with it wins, as EspoCRM now names new objects.
      if (!catalogue.has(name) || /^C[A-Z]/.test(scope))
        catalogue.set(name, customShape(name, scope, fieldsIn(defs ?? { fields: {}, links: {} }, texts[scope]?.fields ?? {}, this.typeOf)))
    }
    this.catalogue = catalogue
    this.readAt = at
    return catalogue
  }
}

/** Fields that people have made, of types that we have. */
function fieldsIn(
  { fields, links }: EntityDefs,
  labels: { readonly [field: string]: string },
  recordOf: (object: string) => string | undefined,
): CustomField[] {
  return Object.entries(fields).flatMap(([name, field]) => {
    const Type = field.isCustom && !field.notStorable ? typeOf(field) : undefined
    if (!Type) return []
    const Label = Object.hasOwn(labels, name) ? (labels[name] as string) : name
    const isLink = field.type === 'link'
    const Values = Type === 'Choice' || Type === 'Choices' ? closedOptions(field) : undefined
    const RefersTo = isLink ? recordOf(links?.[name]?.entity ?? '') : undefined
    const more = { ...(Values && { Values }), ...(RefersTo && { RefersTo }) }
    return [{ name: `${fieldNameOf(name)}${isLink ? 'ID' : ''}`, attribute: isLink ? `${name}Id` : name, Type, Label, type: field.type, ...more }]
  })
}

/** How a field is made, beside its name and label. A choice may be empty. */
function parametersOf({ FieldName, Type, Values }: Definition): { readonly [parameter: string]: unknown } {
  if (Type === 'Reference') throw new DriverError('unsupported', `A reference, such as ${FieldName}, is a relationship, which is made in EspoCRM itself.`)
  return { ...MADE[Type], ...(Values && { options: Type === 'Choice' ? ['', ...Values] : Values }) }
}

/** The options of a choice that takes no others. Those of another field are left to EspoCRM. */
function closedOptions({ options, optionsReference, allowCustomOptions }: FieldDefs): readonly string[] | undefined {
  const values = (options ?? []).filter((option) => option !== '')
  return values.length === 0 || optionsReference || allowCustomOptions === true ? undefined : values
}

/** A choice of nothing, Yes and No is how we make a truth value that may be missing. */
function typeOf({ type, options }: FieldDefs): CustomType | undefined {
  return type === 'enum' && [...(options ?? [])].sort().join() === ['', NO, YES].join() ? 'Boolean' : TYPES.get(type)
}

function unlessThere(error: unknown): undefined {
  if (error instanceof DriverError && error.code === 'conflict' && /already (?:used|exists)/.test(error.message)) return undefined
  throw error
}
