/** Memoises one object per workspace. */
export function byWorkspace<T>(make: (workspace: number) => T): (workspace: number) => T {
  const cache = new Map<number, T>()
  return (workspace) => {
    let value = cache.get(workspace)
    if (!value) {
      value = make(workspace)
      cache.set(workspace, value)
    }
    return value
  }
}
