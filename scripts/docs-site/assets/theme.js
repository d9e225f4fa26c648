// Before the page is drawn: the theme that was chosen here or in the console. Without one the device decides.
try {
  const chosen = localStorage.getItem('crm-connector-theme')
  if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset.theme = chosen
} catch {
  // Storage can be switched off.
}
