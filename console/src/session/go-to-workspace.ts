import { messageOf } from '../data/error-text.ts'
import { useToast } from '../parts/toasts.tsx'
import { showWorkspace } from './cookie-session.ts'
import { useSession } from './session.ts'
import { isTabWorkspace, switchWorkspace } from './tab-workspaces.ts'

/** Goes over to another of the person's workspaces. Resolves to false where that is refused, and says why. */
export function useGoToWorkspace(): (Workspace: string) => Promise<boolean> {
  const { me, post } = useSession()
  const toast = useToast()
  return async (Workspace) => {
    try {
      if (isTabWorkspace(Workspace)) switchWorkspace(Workspace)
      else {
        await post('/sign-in/workspace', { Workspace })
        showWorkspace(Workspace)
      }
      return true
    } catch (error) {
      toast({ text: `Still in ${me.Workspace}: ${messageOf(error)}`, bad: true })
      return false
    }
  }
}
