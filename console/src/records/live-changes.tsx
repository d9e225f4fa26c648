import { Icon } from '../parts/icon.tsx'
import { numberText } from '../parts/values.tsx'

/** How many events arrived that are not shown, and the button that shows them. */
export function LiveChanges({ changes, refresh }: { readonly changes: number; readonly refresh: () => void }) {
  return (
    <span className="records-live" role="status">
      {changes > 0 && (
        <button type="button" className="records-word" onClick={refresh}>
          <Icon name="reload" size={14} /> {changes === 1 ? '1 change' : `${numberText(changes)} changes`} · Refresh
        </button>
      )}
    </span>
  )
}
