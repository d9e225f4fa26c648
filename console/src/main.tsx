import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { showTheme } from './shell/theme.ts'
import './styles/tokens.css'
import './styles/base.css'

showTheme()
const place = document.getElementById('console')
if (place)
  createRoot(place).render(
    <StrictMode>
      <App />
    </StrictMode>,
  )
