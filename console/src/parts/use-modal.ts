import { type RefObject, useLayoutEffect } from 'react'

/** Opens a dialog over the page. It is closed before it is removed, as the browser then gives the focus back to what had it. */
export function useModal(dialog: RefObject<HTMLDialogElement | null>): void {
  useLayoutEffect(() => {
    const shown = dialog.current
    shown?.showModal()
    return () => shown?.close()
  }, [dialog])
}
