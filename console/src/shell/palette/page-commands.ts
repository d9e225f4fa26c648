import { useEffect, useRef } from 'react'
import type { IconName } from '../../parts/icon.tsx'
import type { Command } from './command.ts'

export interface PageCommand {
  readonly title: string
  readonly icon: IconName
  readonly also?: string
  readonly act: () => void
}

/** What each part of the page that is shown offers. */
const offered = new Set<{ readonly current: readonly PageCommand[] }>()

export const pageCommands = (): Command[] =>
  [...offered].flatMap(({ current }) => current).map((command) => ({ ...command, id: `here-${command.title}`, section: 'This page' }))

/** Offers commands in the palette for as long as a part of the page is shown. */
export function usePageCommands(commands: readonly PageCommand[]): void {
  const latest = useRef(commands)
  latest.current = commands
  useEffect(() => {
    offered.add(latest)
    return () => void offered.delete(latest)
  }, [])
}
