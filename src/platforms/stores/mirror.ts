/**
 * The mirror of a workspace, the copy of a CRM's records that a store keeps, has the rows of another workspace that nothing lists: it has a number of its own, but no
 * record, users or journal. The ids in it are the CRM's, which say nothing about the time of creation.
 */
export const FIRST_MIRROR = 2 ** 30

export const mirrorOf = (workspace: number) => workspace + FIRST_MIRROR

/** The number of the workspace that a mirror, or the workspace itself, belongs to. */
export const workspaceBehind = (number: number) => number % FIRST_MIRROR

/** The workspace and its mirror, or only the mirror where the number is one. */
export const withMirror = (number: number) => (isMirror(number) ? [number] : [number, mirrorOf(number)])

export const isMirror = (workspace: number) => workspace >= FIRST_MIRROR
