/** One of these a workspace, made when first asked for. */
export function byWorkspace<T>(make: (workspace: number) => T): (workspace: number) => T {
  const made = new Map<number, T>()
  return (workspace) => {
    let one = made.get(workspace)
    if (!one) {
      one = make(workspace)
      made.set(workspace, one)
    }
    return one
  }
}
