import type { Get } from '../session/post.ts'
import { useSession } from '../session/session.ts'
import { redeemTicket } from '../session/sign-in-link.ts'
import { enterWorkspace, isTabWorkspace, switchWorkspace } from '../session/tab-workspaces.ts'

/** The workspaces with demo data that the caller may open; none where the service does not say. */
export async function demoWorkspaces(get: Get, signal?: AbortSignal): Promise<readonly string[]> {
  try {
    return (await get<{ readonly Workspaces: readonly string[] }>('/v1/demo', signal)).Workspaces
  } catch {
    return []
  }
}

/** Shows a workspace with demo data. A key of it that this tab has is used again, so that opening it often makes no further ones. */
export function useOpenDemo(): (name: string) => Promise<void> {
  const { me, post } = useSession()
  return async (name) => {
    if (isTabWorkspace(name)) return switchWorkspace(name)
    const { Ticket } = await post<{ readonly Ticket: string }>('/v1/demo/open', { Workspace: name })
    enterWorkspace(me.Workspace, name, await redeemTicket(Ticket))
  }
}
