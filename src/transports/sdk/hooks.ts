/** Calls a hook of the caller. What it throws is dropped, since it must not change the outcome of a call. */
export async function notify<T>(listener: ((what: T) => unknown) | undefined, what: T): Promise<void> {
  try {
    await listener?.(what)
  } catch {}
}
