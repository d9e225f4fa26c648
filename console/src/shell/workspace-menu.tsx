import { useState } from 'react'
import { messageOf } from '../data/error-text.ts'
import { useToast } from '../parts/toasts.tsx'
import { showWorkspace } from '../session/cookie-session.ts'
import { useSession } from '../session/session.ts'
import './workspace-menu.css'

/** The workspace that is shown, and the person's others to go over to. */
export function WorkspaceMenu() {
  const { me, workspaces, post } = useSession()
  const toast = useToast()
  const [chosen, setChosen] = useState<string>()

  async function goTo(Workspace: string) {
    setChosen(Workspace)
    try {
      await post('/sign-in/workspace', { Workspace })
      showWorkspace(Workspace)
    } catch (error) {
      setChosen(undefined)
      toast({ text: `Still in ${me.Workspace}: ${messageOf(error)}`, bad: true })
    }
  }

  return (
    <select
      className="workspace-menu"
      aria-label="Workspace"
      value={chosen ?? me.Workspace}
      disabled={chosen !== undefined}
      onChange={(event) => void goTo(event.target.value)}
    >
      {workspaces.map((name) => (
        <option key={name}>{name}</option>
      ))}
    </select>
  )
}
