/** A text after edits, and the way back from its offsets. */
export interface EditedText {
  readonly text: string
  /** Offset in the text before the edits; undefined inside inserted text, which stands for nothing the author wrote. */
  originalOffset(offset: number): number | undefined
  /** What the text is made of, in order, without gaps. */
  readonly pieces: readonly Piece[]
}

export interface Piece {
  readonly editedStart: number
  /** Undefined: inserted. */
  readonly originalStart: number | undefined
  /** Replacement text stands for the start of what it replaced, whatever the offset inside it. */
  readonly isFixed: boolean
}

export interface Edits {
  insert(at: number, text: string): void
  replace(start: number, end: number, text: string): void
  /** Makes the edits in `text`, or in a text of the same length that stands for it. */
  apply(text?: string): EditedText
}

interface Edit {
  readonly start: number
  readonly end: number
  readonly text: string
}

/**
 * Collects edits of `text` by offset. Insertions at one place keep their order; what is edited inside a range that is
 * itself replaced goes with the range.
 */
export function createEdits(text: string): Edits {
  const edits: Edit[] = []
  return {
    insert: (at, inserted) => void edits.push({ start: at, end: at, text: inserted }),
    replace: (start, end, replacement) => void edits.push({ start, end, text: replacement }),
    apply: (other = text) => applyEdits(other, edits),
  }
}

function applyEdits(text: string, edits: readonly Edit[]): EditedText {
  const pieces: Piece[] = []
  let edited = ''
  let at = 0
  const copyTo = (end: number) => {
    if (end <= at) return
    pieces.push({ editedStart: edited.length, originalStart: at, isFixed: false })
    edited += text.slice(at, end)
    at = end
  }
  for (const edit of edits.toSorted(outerFirst)) {
    if (edit.start < at) continue
    copyTo(edit.start)
    if (edit.text !== '') {
      const isInsertion = edit.start === edit.end
      pieces.push({
        editedStart: edited.length,
        originalStart: isInsertion ? undefined : edit.start,
        isFixed: true,
      })
      edited += edit.text
    }
    at = edit.end
  }
  copyTo(text.length)
  return createEditedText(edited, pieces)
}

/** A text of pieces that are in order of `editedStart`. */
export function createEditedText(text: string, pieces: readonly Piece[]): EditedText {
  return {
    text,
    pieces,
    originalOffset(offset) {
      const piece = pieceAt(pieces, offset)
      if (piece === undefined) return offset
      if (piece.originalStart === undefined) return undefined
      return piece.isFixed ? piece.originalStart : piece.originalStart + (offset - piece.editedStart)
    },
  }
}

/** The piece that holds an offset; undefined when there are none. */
export function pieceAt(pieces: readonly Piece[], offset: number): Piece | undefined {
  let low = 0
  let high = pieces.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((pieces[middle]?.editedStart ?? 0) <= offset) low = middle
    else high = middle - 1
  }
  return pieces[low]
}

function outerFirst(left: Edit, right: Edit): number {
  if (left.start !== right.start) return left.start - right.start
  const isInsertion = (edit: Edit) => edit.start === edit.end
  if (isInsertion(left) || isInsertion(right)) return Number(isInsertion(right)) - Number(isInsertion(left))
  return right.end - left.end
}
