import { useState } from 'react'
import { useGoToWorkspace } from '../session/go-to-workspace.ts'
import { useSession } from '../session/session.ts'
import './workspace-menu.css'

/** The workspace that is shown, and the person's others to go over to. */
export function WorkspaceMenu() {
  const { me, workspaces } = useSession()
  const goToWorkspace = useGoToWorkspace()
  const [chosen, setChosen] = useState<string>()

  async function goTo(name: string) {
    setChosen(name)
    if (!(await goToWorkspace(name))) setChosen(undefined)
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
