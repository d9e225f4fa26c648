import { join } from 'node:path'
import { defineConfig } from 'vite'

/** `npm -w console run dev` serves the console with the calls going to a service that runs beside it. */
const SERVICE = process.env.CRM_URL ?? 'http://127.0.0.1:8484'

export default defineConfig({
  root: import.meta.dirname,
  // Addresses are relative, so that it also works behind a proxy that adds a path.
  base: './',
  // The package's own names lead to its sources.
  resolve: {
    tsconfigPaths: true,
    // A page has no store of its own.
    alias: { 'crm-connector/local': join(import.meta.dirname, '../src/transports/sdk/no-local.ts') },
  },
  build: {
    outDir: '../dist/console',
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 1000,
    reportCompressedSize: false,
  },
  server: { proxy: { '/v1': SERVICE, '/sign-in': SERVICE, '/sign-out': SERVICE } },
})
