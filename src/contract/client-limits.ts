/** Limits that the client keeps, too. Apart from the others, so that a bundled client leaves those out. */

/** Levels of lists and objects within each other in one input. */
export const DEPTH = 64

/** Faults listed in one refusal. */
export const FAULTS = 100
