const THEMES = { system: 'Auto', light: 'Light', dark: 'Dark' }
const THEME = 'crm-connector-theme'
const KEY = 'crm-connector-key'
const RESULTS = 12

const root = document.body.dataset.root ?? ''

themeButton(document.querySelector('button.theme'))
for (const block of document.querySelectorAll('.code')) copyButton(block)
for (const link of document.querySelectorAll('nav.pages a, article a')) leadToConsole(link)
search(document.querySelector('form.search'))
openPages(document.querySelector('nav.pages details'))

/** Those who are signed in to the console beside the site have its forms as the reference. */
function leadToConsole(link) {
  const console = document.querySelector('.to-console')?.href
  const [, name] = /\/operations\/(\w+)\.html$/.exec(link.href) ?? []
  if (console && name && isSignedIn() && link.origin === location.origin) link.href = `${console}operations${name === 'index' ? '' : `/${name}`}`
}

function isSignedIn() {
  try {
    return [sessionStorage, localStorage].some((storage) => storage.getItem(KEY) !== null)
  } catch {
    return false
  }
}

/** The list of pages is open where there is room beside the page. */
function openPages(details) {
  const wide = matchMedia('(min-width: 62rem)')
  const follow = () => {
    details.open = wide.matches
  }
  follow()
  wide.addEventListener('change', follow)
  details.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' })
}

function themeButton(button) {
  const names = Object.keys(THEMES)
  const current = () => (names.includes(localStorage.getItem(THEME)) ? localStorage.getItem(THEME) : 'system')
  const show = () => {
    const theme = current()
    if (theme === 'system') delete document.documentElement.dataset.theme
    else document.documentElement.dataset.theme = theme
    button.textContent = THEMES[theme]
    button.setAttribute('aria-label', `Theme: ${THEMES[theme]}`)
  }
  try {
    show()
  } catch {
    return
  }
  button.hidden = false
  button.addEventListener('click', () => {
    localStorage.setItem(THEME, names[(names.indexOf(current()) + 1) % names.length])
    show()
  })
}

function copyButton(block) {
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'copy'
  button.textContent = 'Copy'
  button.setAttribute('aria-live', 'polite')
  button.addEventListener('click', async () => {
    try {
      // Without the prompts.
      await navigator.clipboard.writeText(block.querySelector('code').textContent.replaceAll(/^\$ /gm, ''))
      button.textContent = 'Copied'
    } catch {
      // Browsers allow it over https and on this machine alone.
      getSelection().selectAllChildren(block.querySelector('code'))
      button.textContent = 'Press Ctrl C'
    }
    setTimeout(() => {
      button.textContent = 'Copy'
    }, 2000)
  })
  block.append(button)
}

/** Runs a script, which works from a disk too. Resolves also where it cannot be loaded. */
function loaded(address) {
  const script = document.createElement('script')
  script.src = address
  document.head.append(script)
  return new Promise((resolve) => {
    script.addEventListener('load', resolve)
    script.addEventListener('error', resolve)
  })
}

/** Looks for sections that have all words, those that have them in their title first. */
function search(form) {
  const input = form.querySelector('input')
  const found = form.querySelector('.found')
  let index
  const load = () => {
    index ??= loaded(`${root}search.js`).then(() => globalThis.searched)
    return index
  }

  function scoreOf([title, page, , text], words) {
    let score = 0
    for (const word of words) {
      const heading = title.toLowerCase()
      if (heading === word) score += 20
      else if (heading.startsWith(word)) score += 10
      else if (heading.includes(word)) score += 6
      else if (page.toLowerCase().includes(word)) score += 3
      else if (text.toLowerCase().includes(word)) score += 1
      else return 0
    }
    return score
  }

  async function show() {
    const words = input.value.toLowerCase().replaceAll('_', ' ').split(/\s+/).filter(Boolean)
    found.hidden = words.length === 0
    if (words.length === 0) return
    const entries = await load()
    if (words.join(' ') !== input.value.toLowerCase().replaceAll('_', ' ').split(/\s+/).filter(Boolean).join(' ')) return
    if (entries === undefined) return found.replaceChildren(status('The search could not be loaded.'))
    const matches = entries
      .map((entry) => ({ entry, score: scoreOf(entry, words) }))
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score)
    const list = document.createElement('ul')
    for (const { entry } of matches.slice(0, RESULTS)) list.append(result(entry, words))
    found.replaceChildren(status(matches.length === 0 ? 'Nothing found' : matches.length === 1 ? '1 result' : `${matches.length} results`), list)
  }

  function status(text) {
    const line = document.createElement('p')
    line.setAttribute('role', 'status')
    line.textContent = text
    return line
  }

  function result([title, page, address, text], words) {
    const item = document.createElement('li')
    const link = document.createElement('a')
    link.href = new URL(address, new URL(root || './', location.href)).href
    leadToConsole(link)
    const name = document.createElement('strong')
    name.textContent = title
    const where = document.createElement('small')
    const at = Math.max(0, ...words.map((word) => text.toLowerCase().indexOf(word)))
    const from = at < 60 ? 0 : text.indexOf(' ', at - 50) + 1
    const excerpt = text.slice(from, from + 110 < text.length ? text.lastIndexOf(' ', from + 110) : undefined)
    where.textContent = [page === title ? '' : page, excerpt && `${from > 0 ? '… ' : ''}${excerpt}${from + excerpt.length < text.length ? ' …' : ''}`]
      .filter(Boolean)
      .join(' · ')
    link.append(name, where)
    item.append(link)
    return item
  }

  const links = () => [...found.querySelectorAll('a')]
  form.hidden = false
  input.addEventListener('focus', load, { once: true })
  input.addEventListener('input', show)
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    links()[0]?.click()
  })
  form.addEventListener('keydown', (event) => {
    const all = links()
    const at = all.indexOf(document.activeElement)
    if (event.key === 'Escape') {
      input.value = ''
      found.hidden = true
      input.focus()
    } else if (event.key === 'ArrowDown' && all.length > 0) {
      event.preventDefault()
      all[Math.min(at + 1, all.length - 1)].focus()
    } else if (event.key === 'ArrowUp' && at >= 0) {
      event.preventDefault()
      ;(all[at - 1] ?? input).focus()
    }
  })
  document.addEventListener('keydown', (event) => {
    const typing = event.target.closest?.('input, textarea, select')
    if (event.key !== '/' || typing || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    input.focus()
  })
  document.addEventListener('click', (event) => {
    if (!form.contains(event.target)) found.hidden = true
    else if (event.target.closest('a')) {
      found.hidden = true
      input.value = ''
    }
  })
}
