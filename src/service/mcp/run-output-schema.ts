import type { Tool } from '@modelcontextprotocol/server'

const text = { type: 'string' } as const

/**
 * What `structuredContent` of `run_code` holds. Nothing is required: a program may return nothing, fail, or give more
 * than fits, and all of these are answers.
 */
export const RUN_OUTPUT_SCHEMA: NonNullable<Tool['outputSchema']> = {
  type: 'object',
  properties: {
    result: { description: 'What the program returned, as JSON. Absent when it returned nothing.' },
    logs: {
      type: 'array',
      description: 'What it printed, in order.',
      items: { type: 'object', properties: { level: text, atMs: { type: 'number' }, text }, required: ['text'] },
    },
    calls: {
      type: 'array',
      description: 'The tool calls it made, with how they ended.',
      items: {
        type: 'object',
        properties: {
          callId: text,
          name: text,
          state: { enum: ['settled', 'abandoned', 'unstarted'] },
          isError: { type: 'boolean' },
          code: text,
          message: text,
        },
        required: ['name', 'isError'],
      },
    },
    notices: {
      type: 'array',
      description: 'What to know about the run besides.',
      items: { type: 'object', properties: { code: text, message: text }, required: ['code', 'message'] },
    },
    text: {
      ...text,
      description: 'In place of the other members when they do not fit or do not say all: the text of the content.',
    },
    attachments: {
      type: 'array',
      description: 'Images and other blocks, which are in the content alone.',
      items: { type: 'object', properties: { type: text, mimeType: text }, required: ['type'] },
    },
    error: {
      type: 'object',
      description: 'Why the run failed; what had happened before is in its details.',
      properties: { code: text, message: text },
      required: ['code', 'message'],
    },
  },
}
