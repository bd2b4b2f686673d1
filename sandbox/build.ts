/**
 * Bundles the guest into one script, and the child with that script inside into one file: once as a program, once as a
 * module for runs in the host's own process. The output is committed and byte-stable: `--check` compares instead of
 * writing.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { build, type BuildOptions } from 'esbuild'

const here = new URL('./', import.meta.url).pathname
const bundle = `${here}bundle/`

const shared = {
  absWorkingDir: here,
  bundle: true,
  write: false,
  charset: 'utf8',
  legalComments: 'none',
  logLevel: 'error',
  treeShaking: true,
} as const satisfies BuildOptions

/** One expression statement whose completion value is the guest's API record. Declares nothing in the global scope. */
async function bundleGuest(): Promise<string> {
  const result = await build({
    ...shared,
    entryPoints: ['guest/bootstrap.ts'],
    format: 'iife',
    globalName: 'guest',
    target: 'esnext',
    platform: 'neutral',
    // V8 keeps a text with one letter beyond Latin-1 in two bytes a letter, in every isolate.
    charset: 'ascii',
    // The text stands in the memory of every isolate: short names are a tenth of a megabyte less for each run that waits.
    minify: true,
    banner: { js: "(function(){'use strict';" },
    footer: { js: 'return guest.default})()' },
  })
  return outputText(result)
}

async function bundleChild(guest: string): Promise<string> {
  const result = await build({
    ...forNode(guest),
    entryPoints: ['child/main.ts'],
    format: 'cjs',
    define: { 'import.meta.url': 'moduleUrl' },
    banner: { js: "const moduleUrl = require('node:url').pathToFileURL(__filename).href" },
  })
  return outputText(result)
}

async function bundleEmbedded(guest: string): Promise<string> {
  return outputText(await build({ ...forNode(guest), entryPoints: ['child/embedded.ts'], format: 'esm' }))
}

function forNode(guest: string) {
  return {
    ...shared,
    target: 'node24',
    platform: 'node',
    external: ['isolated-vm'],
    plugins: [
      {
        name: 'guest-text',
        setup(setup) {
          setup.onResolve({ filter: /^codeferry:guest$/ }, () => ({ path: 'guest.js', namespace: 'guest-text' }))
          setup.onLoad({ filter: /.*/, namespace: 'guest-text' }, () => ({ contents: guest, loader: 'text' }))
        },
      },
    ],
  } as const satisfies BuildOptions
}

function outputText(result: { outputFiles?: readonly { readonly text: string }[] | undefined }): string {
  const file = result.outputFiles?.[0]
  if (file === undefined) throw new Error('esbuild gave no output')
  return file.text
}

/** The bundles as they should be. */
export async function buildSandbox(): Promise<ReadonlyMap<string, string>> {
  const guest = await bundleGuest()
  return new Map([
    [`${bundle}guest.js`, guest],
    [`${bundle}child.cjs`, await bundleChild(guest)],
    [`${bundle}embedded.mjs`, await bundleEmbedded(guest)],
  ])
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

if (import.meta.main) {
  const files = await buildSandbox()
  const isCheck = process.argv.includes('--check')
  mkdirSync(bundle, { recursive: true })
  for (const [path, text] of files) {
    if (!isCheck) writeFileSync(path, text)
    else if (readOrEmpty(path) !== text) {
      console.error(`${path} differs from its sources: run node sandbox/build.ts`)
      process.exitCode = 1
    }
  }
}
