/** Since when a record is in a list. */
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
  /** By the ids of the records, in the order in which they joined. */
  readonly members: Map<string, Membership>
}
