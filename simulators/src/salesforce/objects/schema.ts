import type { Field } from './fields.ts'
import { type SObject, standardObjects } from './objects.ts'

/** A reference to an object, seen from that object. */
export interface Child {
  readonly object: SObject
  readonly field: Field
}

/** The objects and fields of an org, except for hidden fields. */
export class Schema {
  private readonly objects = new Map(standardObjects().map((object) => [object.name.toLowerCase(), object]))
  private hidden: ReadonlySet<string> = new Set()
  private readonly modified = new Map<string, number>()
  private readonly now: () => Date

  constructor(now: () => Date) {
    this.now = now
  }

  /** Notes that the definition of an object was changed. */
  touch({ name }: SObject): void {
    this.modified.set(name, Number(this.now()))
  }

  /** When the definition of an object, or of any, was changed last. */
  modifiedAt(object?: SObject): number {
    return object ? (this.modified.get(object.name) ?? 0) : Math.max(0, ...this.modified.values())
  }

  /** Hides fields, such as `Lead.Email`, from all users; an object whose `Id` is hidden is not to be seen at all. */
  hide(names: readonly string[]): void {
    this.hidden = new Set(names.map((name) => name.toLowerCase()))
  }

  all(): SObject[] {
    return [...this.objects.values()]
  }

  isSeen({ name }: SObject): boolean {
    return !this.hidden.has(`${name}.id`.toLowerCase())
  }

  /** An object by name, unless hidden. */
  seen(name: string): SObject | undefined {
    const object = this.object(name)
    return object && this.isSeen(object) ? object : undefined
  }

  object(name: string): SObject | undefined {
    return this.objects.get(name.toLowerCase())
  }

  add(object: SObject): void {
    this.objects.set(object.name.toLowerCase(), object)
    this.touch(object)
  }

  remove(object: SObject): void {
    this.objects.delete(object.name.toLowerCase())
    this.touch(object)
  }

  isHidden(object: SObject, { name }: Field): boolean {
    return this.hidden.size > 0 && this.hidden.has(`${object.name}.${name}`.toLowerCase())
  }

  /** A field by name, unless hidden. */
  field(object: SObject, name: string): Field | undefined {
    const field = object.fields.get(name.toLowerCase())
    return field && !this.isHidden(object, field) ? field : undefined
  }

  fields(object: SObject): Field[] {
    const fields = [...object.fields.values()]
    return this.hidden.size === 0 ? fields : fields.filter((field) => !this.isHidden(object, field))
  }

  /** The object of an id, by its prefix. Prefixes are also compared without case: invented ids often have a wrong checksum, which changes their capitals. */
  objectOf(id: string): SObject | undefined {
    const prefix = id.slice(0, 3)
    // Content notes share the prefix of content documents, and are referenced as such.
    if (prefix === '069') return this.object('ContentDocument')
    const all = this.all()
    return all.find(({ keyPrefix }) => keyPrefix === prefix) ?? all.find(({ keyPrefix }) => keyPrefix.toLowerCase() === prefix.toLowerCase())
  }

  /** The objects that a field may refer to; `Custom` means every custom object. */
  targets({ referenceTo }: Field): SObject[] {
    return referenceTo.flatMap((name) => (name === 'Custom' ? this.all().filter(({ custom }) => custom) : (this.object(name) ?? [])))
  }

  /** All references to an object. */
  children(parent: SObject): Child[] {
    return this.all().flatMap((object) =>
      object.virtual
        ? []
        : [...object.fields.values()].flatMap((field) =>
            field.type === 'reference' && (field.referenceTo.includes(parent.name) || (parent.custom && field.referenceTo.includes('Custom')))
              ? [{ object, field }]
              : [],
          ),
    )
  }
}
