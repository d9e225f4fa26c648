import { Dialog } from '../parts/dialog.tsx'

export function Palette({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog title="Search" onClose={onClose}>
      {null}
    </Dialog>
  )
}
