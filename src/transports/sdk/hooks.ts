/** Tells whoever listens. What they make of it cannot change what has become of a call, so what they throw is dropped. */
export async function notify<T>(listener: ((what: T) => unknown) | undefined, what: T): Promise<void> {
  try {
    await listener?.(what)
  } catch {}
}
