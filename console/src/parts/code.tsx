import { useState } from 'react'
import { Button } from './button.tsx'
import './code.css'

export function Code({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    <div className="code">
      <CopyButton text={text} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
      <section tabIndex={0} aria-label={label}>
        <pre>{text}</pre>
      </section>
    </div>
  )
}

export function CopyButton({ text, label = 'Copy' }: { readonly text: string; readonly label?: string }) {
  const [copied, setCopied] = useState(false)
  return (
    <Button
      small
      icon={copied ? 'check' : 'copy'}
      onClick={async () => {
        await copy(text)
        setCopied(true)
        setTimeout(() => setCopied(false), 1500)
      }}
    >
      {copied ? 'Copied' : label}
    </Button>
  )
}

/** `navigator.clipboard` exists only on secure pages. */
async function copy(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text)
  const area = document.createElement('textarea')
  area.value = text
  const top = document.querySelector('dialog[open]') ?? document.body
  top.append(area)
  area.select()
  document.execCommand('copy')
  area.remove()
}
