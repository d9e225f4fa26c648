import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { Answer } from './answer.tsx'
import { connectHost } from './host.ts'
import '../styles/tokens.css'
import '../styles/base.css'
import './apps.css'

// The host says which theme it has; until then that of the device is shown.
document.documentElement.dataset.theme = window.matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'
const place = document.getElementById('app')
if (place) {
  const root = createRoot(place)
  const { callTool } = connectHost((shown) =>
    root.render(
      <StrictMode>
        <Answer key={document.documentElement.dataset.theme} shown={shown} callTool={callTool} />
      </StrictMode>,
    ),
  )
}
