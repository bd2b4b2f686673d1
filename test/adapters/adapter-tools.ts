import { defineTool, type EngineOptions, type ToolDefinition } from '../../src/index.ts'
import { createCheckedEngine } from '../support/checked-engine.ts'

const NOTHING = { type: 'object', properties: {} } as const

/** What a test watches: bodies that are open, and the most that were at a time. */
export interface Watch {
  open: number
  most: number
  readonly ended: string[]
  /** The body of `hang` has begun. */
  onHang?: () => void
}

/** Tools with everything that an adapter has to carry: images, failures, contexts, the wish to end, slowness. */
export function adapterTools(watch: Watch = { open: 0, most: 0, ended: [] }): readonly ToolDefinition[] {
  const timed = (name: string) => async () => {
    watch.most = Math.max(watch.most, ++watch.open)
    await new Promise((resolve) => setTimeout(resolve, 20))
    watch.open--
    watch.ended.push(name)
    return name
  }
  return [
    defineTool({
      name: 'pixel',
      description: 'An image and words.',
      parameters: NOTHING,
      execute(_args, exec) {
        exec.attachContent([
          { type: 'text', text: 'a pixel' },
          { type: 'image', data: 'AAAA', mimeType: 'image/png' },
          { type: 'audio', data: 'BBBB', mimeType: 'audio/wav' },
          { type: 'resource', resource: { uri: 'file:///a/b.pdf', mimeType: 'application/pdf', blob: 'CCCC' } },
          { type: 'resource_link', uri: 'https://x.test', name: 'x' },
        ])
        return null
      },
    }),
    defineTool({
      name: 'broken',
      description: 'Fails beside an image.',
      parameters: NOTHING,
      execute(_args, exec) {
        exec.attachContent([
          { type: 'text', text: 'broken: see' },
          { type: 'image', data: 'AAAA', mimeType: 'image/png' },
        ])
        throw new Error('broken')
      },
    }),
    defineTool({
      name: 'silent',
      description: 'Fails without a word.',
      parameters: NOTHING,
      execute(_args, exec) {
        exec.attachContent([{ type: 'text', text: '' }])
        throw new Error('silent')
      },
    }),
    defineTool({
      name: 'tell',
      namespace: 'note',
      description: 'Tells the model something.',
      parameters: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
      isConcurrencySafe: () => true,
      execute({ text }, exec) {
        exec.deferContext(text)
        return text.length
      },
    }),
    defineTool({
      name: 'done',
      description: 'Ends the turn.',
      parameters: NOTHING,
      execute(_args, exec) {
        exec.concludeTurn()
        return ''
      },
    }),
    defineTool({
      name: 'safe',
      description: '',
      parameters: NOTHING,
      isConcurrencySafe: () => true,
      execute: timed('safe'),
    }),
    defineTool({ name: 'alone', description: '', parameters: NOTHING, execute: timed('alone') }),
    defineTool({
      name: 'hang',
      description: 'Never answers.',
      parameters: NOTHING,
      isConcurrencySafe: () => true,
      execute: (_args, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason as Error))
          watch.onHang?.()
        }),
    }),
  ]
}

export function adapterEngine(watch?: Watch, options: EngineOptions = {}) {
  return createCheckedEngine({ mode: 'both', tools: adapterTools(watch), typecheck: 'off', ...options })
}
