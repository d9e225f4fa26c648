export interface Membership {
  readonly recordId: string
  readonly since: number
}

export interface List {
  readonly listId: string
  readonly name: string
  readonly objectTypeId: string
  readonly processingType: string
  readonly filterBranch: unknown
  readonly createdAt: number
  readonly updatedAt: number
  readonly version: number
  readonly deletedAt: number | undefined
  /** By record id, in the order of joining. */
  readonly members: Map<string, Membership>
}
