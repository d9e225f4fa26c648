import type { IconName } from '../../parts/icon.tsx'

export const SECTIONS = ['Recent', 'Pages', 'Records', 'Operations', 'Console'] as const
export type Section = (typeof SECTIONS)[number]

/** Something that can be chosen in the palette. */
export interface Command {
  readonly id: string
  readonly section: Section
  readonly title: string
  readonly icon: IconName
  /** What helps to tell it from others. */
  readonly about?: string
  /** What it is also found by. */
  readonly also?: string
  readonly act: () => void
}
