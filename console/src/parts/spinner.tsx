/** Shown only after a moment, so that quick answers do not flicker. */
export function Spinner({ label, whole = false }: { readonly label: string; readonly whole?: boolean }) {
  return (
    <div className={`spinner${whole ? ' spinner-whole' : ''}`} role="status">
      <span className="spin" aria-hidden="true" />
      <span>{label} …</span>
    </div>
  )
}
