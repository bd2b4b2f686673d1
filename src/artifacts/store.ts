/**
 * Large data that a program or a model was shown only a part of. An artifact belongs to one owner (a session) and is
 * invisible to every other: an unknown id and somebody else's id give the same answer.
 */
export interface ArtifactStore {
  /** Keeps `text`; the oldest artifacts of the owner make room. Gives `undefined` when it can never fit. */
  put(owner: string, text: string): ArtifactRef | undefined
  /** `offset` and `length` count UTF-16 units, as `String.prototype.slice` does. */
  read(owner: string, id: string, range: { readonly offset: number; readonly length: number }): ArtifactPart | undefined
  /** Forgets what an owner has, where that would otherwise stay in memory for nobody. */
  release?(owner: string): void
}

export interface ArtifactRef {
  readonly id: string
  readonly length: number
}
export interface ArtifactPart {
  readonly text: string
  readonly offset: number
  /** Length of the whole. */
  readonly length: number
}
