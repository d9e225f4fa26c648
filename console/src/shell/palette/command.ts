import type { IconName } from '../../parts/icon.tsx'

export const SECTIONS = ['This page', 'Recent', 'Pages', 'Actions', 'Records', 'Operations', 'Console'] as const
export type Section = (typeof SECTIONS)[number]

export interface Command {
  readonly id: string
  readonly section: Section
  readonly title: string
  readonly icon: IconName
  /** Shown beside the title. */
  readonly about?: string
  /** Further words to find it by. */
  readonly also?: string
  readonly act: () => void
}
