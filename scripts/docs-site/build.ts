/** Writes the documentation site: node scripts/run.js scripts/docs-site/build.ts */
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { siteFiles } from './site.ts'
import { siteStyles } from './styles.ts'

const root = process.cwd()
const site = join(root, 'dist/docs')

rmSync(site, { recursive: true, force: true })
for (const [path, text] of siteFiles(join(root, 'docs'))) {
  mkdirSync(dirname(join(site, path)), { recursive: true })
  writeFileSync(join(site, path), text)
}
const assets = join(root, 'scripts/docs-site/assets')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
writeFileSync(join(site, 'site.css'), siteStyles(read('console/src/styles/tokens.css'), read('scripts/docs-site/assets/site.css')))
for (const name of ['site.js', 'theme.js']) cpSync(join(assets, name), join(site, name))
cpSync(join(root, 'src/transports/http/assets/page.css'), join(site, 'page.css'))
cpSync(join(root, 'console/public/icon.svg'), join(site, 'icon.svg'))
cpSync(join(root, 'docs/images'), join(site, 'images'), { recursive: true })
cpSync(join(root, 'docs/openapi.json'), join(site, 'openapi.json'))
