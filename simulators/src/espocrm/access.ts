import { linkedRows } from './links/links.ts'
import { attributesOf, shapeOf } from './scopes/attributes.ts'
import type { Scope } from './scopes/definition.ts'
import type { Row, Store } from './store.ts'

export const ACTIONS = ['read', 'stream', 'edit', 'delete', 'create'] as const
export type Action = (typeof ACTIONS)[number]
export type Level = 'all' | 'team' | 'own' | 'no' | 'yes'
export type Levels = { readonly [A in Action]: Level }

const levels = (read: Level, edit: Level, remove: Level, create: Level): Levels => ({ read, stream: 'no', edit, delete: remove, create })
const OWN = levels('own', 'own', 'own', 'yes')

/** The levels of every user, without roles. */
export const BASE_LEVELS: { readonly [scope: string]: Levels } = {
  ActionHistoryRecord: levels('own', 'no', 'no', 'no'),
  Attachment: OWN,
  EmailAccount: OWN,
  EmailFilter: OWN,
  EmailFolder: OWN,
  GroupEmailFolder: levels('team', 'no', 'no', 'no'),
  Note: OWN,
  Notification: levels('own', 'no', 'own', 'no'),
  Preferences: levels('own', 'own', 'no', 'no'),
  Team: levels('team', 'no', 'no', 'no'),
  User: levels('own', 'no', 'no', 'no'),
}

/** Scopes that have the levels of Campaign. */
const WITH_CAMPAIGN = ['CampaignLogRecord', 'CampaignTrackingUrl', 'EmailQueueItem', 'MassEmail']

/** Scopes for administrators only. */
const SYSTEM = new Set(['Role'])

const RANK: { readonly [level: string]: number } = { no: 0, own: 1, team: 2, all: 3, yes: 3 }

/** The access rights of a user, for one request. */
export class Access {
  readonly store: Store
  readonly user: Row
  private levels: { readonly [scope: string]: Levels } | undefined
  private readonly hiddenCache = new Map<string, ReadonlySet<string>>()

  constructor(store: Store, user: Row) {
    this.store = store
    this.user = user
  }

  get isAdmin(): boolean {
    return this.user.values.type === 'admin'
  }

  /** The levels by scope: the highest of all roles. A missing scope means no access. */
  table(): { readonly [scope: string]: Levels } {
    const granted = new Map<string, Levels>()
    for (const role of this.roles()) {
      for (const [scope, setting] of Object.entries(Object(role.values.data) as { [scope: string]: unknown })) {
        const read = levelsIn(setting)
        for (const name of scope === 'Campaign' ? [scope, ...WITH_CAMPAIGN] : [scope]) granted.set(name, higher(granted.get(name), read))
      }
    }
    return { ...BASE_LEVELS, ...Object.fromEntries([...granted].sort(([a], [b]) => (a < b ? -1 : 1))) }
  }

  level(scope: string, action: Action): Level {
    if (this.isAdmin) return action === 'create' ? 'yes' : 'all'
    if (SYSTEM.has(scope)) return 'no'
    this.levels ??= this.table()
    const table = this.levels
    return Object.hasOwn(table, scope) ? (table[scope]?.[action] ?? 'no') : 'no'
  }

  allows(scope: string, action: Action): boolean {
    return this.level(scope, action) !== 'no'
  }

  test(scope: string, action: Action): (row: Pick<Row, 'id' | 'values'>) => boolean {
    const level = this.level(scope, action)
    if (level === 'all' || level === 'yes') return () => true
    if (level === 'no') return () => false
    const { id } = this.user
    if (scope === 'User') return action === 'read' ? (row) => row.id === id : () => false
    if (scope === 'Team') return (row) => this.teams().includes(row.id)
    const owner = this.store.scope(scope).fields.assignedUser ? 'assignedUserId' : 'createdById'
    if (level === 'own') return ({ values }) => values[owner] === id
    const teams = new Set(this.teams())
    return (row) => row.values[owner] === id || linkedRows(this.store, this.store.scope(scope), 'teams', row.id).some((team) => teams.has(team.id))
  }

  allowsOn(row: Row, action: Action): boolean {
    if (row.scope === 'Note' && action === 'read' && this.allowsParent(row)) return true
    return this.test(row.scope, action)(row)
  }

  /** A note can be read by users who may read the stream of its parent. */
  private allowsParent({ values }: Row): boolean {
    const parent = this.store.get(String(values.parentType), values.parentId)
    return parent !== undefined && this.allowsOn(parent, 'stream')
  }

  permission(name: string): string {
    if (this.isAdmin) return 'all'
    const setting = this.roles().map(({ values }) => String(values[`${name}Permission`] ?? 'not-set'))
    return setting.reduce((best, level) => ((RANK[level] ?? 0) > (RANK[best] ?? 0) ? level : best), 'no')
  }

  /** Fields that roles hide or protect. */
  fieldLevels(scope: string): Map<string, { read: string; edit: string }> {
    const found = new Map<string, { read: string; edit: string }>()
    if (this.isAdmin) return found
    for (const role of this.roles()) {
      const fields = Object((Object(role.values.fieldData) as { [scope: string]: unknown })[scope]) as { [field: string]: unknown }
      for (const [field, setting] of Object.entries(fields)) {
        const { read, edit } = Object(setting) as { read?: unknown; edit?: unknown }
        found.set(field, { read: read === 'no' ? 'no' : 'yes', edit: edit === 'no' ? 'no' : 'yes' })
      }
    }
    return found
  }

  /**
   * Attributes that the user cannot read or edit. Unlike roles, the fault `field-security` hides fields from administrators, too.
   */
  hidden(scope: Scope, action: 'read' | 'edit'): ReadonlySet<string> {
    const cached = this.hiddenCache.get(`${action} ${scope.name}`)
    if (cached) return cached
    const fields: string[] = []
    for (const [field, setting] of this.fieldLevels(scope.name)) if (setting[action] === 'no') fields.push(field)
    for (const setting of this.store.world.faults.names('field-security')) {
      const [name, field = ''] = setting.split('.')
      if (name === scope.name) fields.push(shapeOf(scope).attributes.get(field)?.field ?? field)
    }
    const hidden = fields.flatMap((field) => attributesOf(scope, field).map(({ name }) => name))
    const all = new Set(this.isAdmin ? hidden : [...hidden, ...(scope.adminOnly ?? [])])
    this.hiddenCache.set(`${action} ${scope.name}`, all)
    return all
  }

  private roles(): Row[] {
    const teams = this.teams().flatMap((id) => linkedRows(this.store, this.store.scope('Team'), 'roles', id))
    return [...linkedRows(this.store, this.store.scope('User'), 'roles', this.user.id), ...teams]
  }

  private teams(): string[] {
    return linkedRows(this.store, this.store.scope('User'), 'teams', this.user.id).map(({ id }) => id)
  }
}

/** The levels that a role gives for a scope. `stream` defaults to the level of `read`. */
function levelsIn(setting: unknown): Levels {
  const given = setting === true ? { read: 'all', edit: 'all', delete: 'all', create: 'yes' } : (Object(setting) as { [action: string]: unknown })
  const level = (action: string) => {
    const value = (given as { [action: string]: unknown })[action]
    return (typeof value === 'string' && Object.hasOwn(RANK, value) ? value : 'no') as Level
  }
  return {
    read: level('read'),
    stream: Object.hasOwn(given, 'stream') ? level('stream') : level('read'),
    edit: level('edit'),
    delete: level('delete'),
    create: level('create'),
  }
}

function higher(one: Levels | undefined, other: Levels): Levels {
  if (!one) return other
  const pick = (action: Action) => ((RANK[one[action]] ?? 0) >= (RANK[other[action]] ?? 0) ? one[action] : other[action])
  return { read: pick('read'), stream: pick('stream'), edit: pick('edit'), delete: pick('delete'), create: pick('create') }
}
