export function Logo() {
  return (
    <span className="logo">
      <img src="./icon.svg" alt="" width="28" height="28" />
      <strong>CRM Connector</strong>
    </span>
  )
}
