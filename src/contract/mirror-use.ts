/** Where lists, summaries and searches of a CRM are answered from. */
export const READS = ['mirror', 'crm'] as const

export type Reads = (typeof READS)[number]

/** Whether an account is watched, and where its lists, summaries and searches are answered from. */
export interface MirrorUse {
  readonly watch: boolean
  readonly reads: Reads
}

export const DEFAULT_MIRROR_USE: MirrorUse = { watch: true, reads: 'mirror' }

/** How the account of a connection is used. One that was made before there were mirrors has the defaults. */
export const mirrorUseOf = ({ Watch, Reads }: { readonly Watch: boolean | null; readonly Reads: Reads | null }): MirrorUse => ({
  watch: Watch ?? DEFAULT_MIRROR_USE.watch,
  reads: Reads ?? DEFAULT_MIRROR_USE.reads,
})
