import './tabs.css'

interface Props<T extends string> {
  readonly label: string
  readonly tabs: readonly { readonly id: T; readonly label: string }[]
  readonly shown: T
  readonly onShow: (id: T) => void
}

export function Tabs<T extends string>({ label, tabs, shown, onShow }: Props<T>) {
  return (
    <fieldset className="tabs" aria-label={label}>
      {tabs.map((tab) => (
        <button key={tab.id} type="button" aria-pressed={tab.id === shown} onClick={() => onShow(tab.id)}>
          {tab.label}
        </button>
      ))}
    </fieldset>
  )
}
