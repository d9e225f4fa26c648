import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from 'react'
import { Icon } from '../parts/icon.tsx'
import { useModal } from '../parts/use-modal.ts'
import { Words } from '../parts/words.tsx'
import { useRoute } from '../routing/router.ts'
import { useGoToWorkspace } from '../session/go-to-workspace.ts'
import { useSession } from '../session/session.ts'
import { type Command, SECTIONS } from './palette/command.ts'
import { commandsFor } from './palette/commands.ts'
import { fit } from './palette/match.ts'
import { useSearch } from './palette/search.ts'
import './palette.css'

/** The most entries per section: with a typed text, and without. */
const MAX_SHOWN = 8
const MAX_UNTYPED = { 'This page': 8, Recent: 6, Pages: 20, Actions: 8, Records: 0, Operations: 0, Console: 20 } as const

interface Props {
  readonly onClose: () => void
  readonly onHelp: () => void
}

/** Finds pages, records, operations and commands of the console by a few letters. */
export function Palette({ onClose, onHelp }: Props) {
  const session = useSession()
  const id = useId()
  const dialog = useRef<HTMLDialogElement>(null)
  const list = useRef<HTMLDivElement>(null)
  const [typed, setTyped] = useState('')
  const [chosen, setChosen] = useState(0)
  const route = useRoute()
  const goToWorkspace = useGoToWorkspace()
  const commands = useMemo(() => commandsFor(session, { route, showShortcuts: onHelp, goToWorkspace }), [session, route, onHelp])
  const sought = withoutGoTo(typed)
  const { found, searching } = useSearch(sought)
  const shown = useMemo(() => ranked(commands, found, sought), [commands, found, sought])
  const at = Math.min(chosen, shown.length - 1)

  useModal(dialog)

  useEffect(() => {
    list.current?.querySelector(`[data-at="${at}"]`)?.scrollIntoView({ block: 'nearest' })
  }, [at])

  const act = (command: Command | undefined) => {
    if (!command) return
    onClose()
    command.act()
  }

  const STEPS: { readonly [key: string]: () => number } = {
    ArrowDown: () => (at + 1) % shown.length,
    ArrowUp: () => (at - 1 + shown.length) % shown.length,
    PageDown: () => Math.min(at + MAX_SHOWN, shown.length - 1),
    PageUp: () => Math.max(at - MAX_SHOWN, 0),
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    const step = STEPS[event.key]
    if (step) setChosen(shown.length === 0 ? 0 : step())
    else if (event.key === 'Enter') act(shown[at])
    else return
    event.preventDefault()
  }

  return (
    <dialog
      ref={dialog}
      className="palette"
      aria-label="Search and commands"
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      // A click on the backdrop closes it.
      onMouseDown={(event) => event.target === dialog.current && onClose()}
    >
      <div className="palette-box">
        <div className="palette-typed">
          {searching ? <span className="spin" aria-hidden="true" /> : <Icon name="search" />}
          <input
            role="combobox"
            aria-label="Search and commands"
            aria-expanded="true"
            aria-controls={`${id}-list`}
            aria-activedescendant={shown[at] ? `${id}-${at}` : undefined}
            aria-autocomplete="list"
            placeholder="Search records, pages, actions and operations"
            autoComplete="off"
            spellCheck={false}
            value={typed}
            onChange={(event) => {
              setTyped(event.target.value)
              setChosen(0)
            }}
            onKeyDown={onKeyDown}
          />
          <button type="button" className="palette-escape" onClick={onClose} aria-label="Esc: close">
            <kbd>Esc</kbd>
          </button>
        </div>
        <div ref={list} className="palette-list" id={`${id}-list`} role="listbox" aria-label="Results" tabIndex={-1}>
          {[...new Set(shown.map(({ section }) => section))].map((section) => {
            const its = shown.flatMap((command, i) => (command.section === section ? [{ command, i }] : []))
            return (
              // biome-ignore lint/a11y/useSemanticElements: within a listbox there are groups, not fieldsets.
              <div key={section} role="group" aria-label={section}>
                <div className="palette-section" aria-hidden="true">
                  {section}
                </div>
                {its.map(({ command, i }) => (
                  <div
                    key={command.id}
                    id={`${id}-${i}`}
                    data-at={i}
                    role="option"
                    tabIndex={-1}
                    aria-selected={i === at}
                    className="palette-option"
                    onMouseMove={() => i !== at && setChosen(i)}
                    onMouseDown={(event) => event.preventDefault()}
                    onClick={() => act(command)}
                    onKeyDown={onKeyDown}
                  >
                    <Icon name={command.icon} />
                    <span className="palette-title">
                      <Words>{command.title}</Words>
                    </span>
                    {command.about && <span className="palette-about">{command.about}</span>}
                  </div>
                ))}
              </div>
            )
          })}
        </div>
        {shown.length === 0 && !searching && (
          <p className="palette-none">Nothing matches “{typed}”. Records are found by words in their names, e-mail addresses, phone numbers and texts.</p>
        )}
        <p className="seen-by-readers" role="status">
          {searching ? 'Searching' : `${shown.length} ${shown.length === 1 ? 'result' : 'results'}`}
        </p>
        <footer className="palette-keys" aria-hidden="true">
          <span>
            <kbd>
              <Icon name="up" size={12} />
            </kbd>{' '}
            <kbd>
              <Icon name="down" size={12} />
            </kbd>{' '}
            select
          </span>
          <span>
            <kbd>Enter</kbd> open
          </span>
          <span>
            <kbd>Esc</kbd> close
          </span>
        </footer>
      </div>
    </dialog>
  )
}

/** What "go to leads" looks for. */
const withoutGoTo = (typed: string) => typed.replace(/^\s*go\s*to\s+/i, '')

/** The matching commands, by section, best first: the section of what is called exactly as typed leads. The service has already matched the records. */
function ranked(commands: readonly Command[], found: readonly Command[], typed: string): Command[] {
  if (typed.trim() === '') return SECTIONS.flatMap((section) => commands.filter((one) => one.section === section).slice(0, MAX_UNTYPED[section]))
  const fitting = commands
    .map((command) => ({ command, titled: fit(typed, command.title) ?? -1, worded: (fit(typed, `${command.title} ${command.also ?? ''}`) ?? -1) - 0.5 }))
    .map(({ command, titled, worded }) => ({ command, titled, score: Math.max(titled, worded) }))
    .filter(({ score }) => score >= 0)
    .sort((a, b) => b.score - a.score)
  const sections = SECTIONS.map((section) => {
    const its = fitting.filter(({ command }) => command.section === section).slice(0, MAX_SHOWN)
    if (section === 'Records') return { all: found, rank: NAMED }
    const rank = its.some(({ command }) => isCalled(command, typed)) ? EXACT : its.some(({ titled }) => titled >= 0) ? NAMED : WORDED
    return { all: its.map(({ command }) => command), rank }
  })
  return sections.toSorted((a, b) => a.rank - b.rank).flatMap(({ all }) => all)
}

/** How well a section fits: a command is called exactly as typed, or has it in its name, or among its further words. */
const [EXACT, NAMED, WORDED] = [0, 1, 2]

const isCalled = ({ title }: Command, typed: string) => title.toLowerCase() === typed.trim().toLowerCase()
