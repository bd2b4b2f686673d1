import { commentText } from './safe-text.ts'
import type { Doc } from './type-tree.ts'

const textsByDoc = new WeakMap<Doc, { readonly maxChars: number; readonly text: string }>()

/** Words first, then what the type cannot say, in parentheses; both within one line. */
export function docText(doc: Doc, maxChars: number): string {
  if (maxChars === 0) return ''
  const known = textsByDoc.get(doc)
  if (known?.maxChars === maxChars) return known.text
  const text = write(doc, maxChars)
  textsByDoc.set(doc, { maxChars, text })
  return text
}

function write(doc: Doc, maxChars: number): string {
  const text = doc.text === undefined ? '' : commentText(doc.text, maxChars)
  const terms = doc.terms.length === 0 ? '' : commentText(doc.terms.join(', '), Math.max(maxChars, 120))
  if (terms === '') return text
  return text === '' ? terms : `${text} (${terms})`
}
