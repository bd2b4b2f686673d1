/** One way in which a value does not match. `path` is a JSON Pointer into the value (`''` is the whole value). */
export interface Violation {
  readonly path: string
  /** What the schema allows there, in words: `integer`, `one of "a", "b"`. */
  readonly expected: string
  /** What was found, in words and short: `"three"`, `missing`. */
  readonly received: string
  /** A whole sentence fragment for a model: `"days" must be an integer; got "three"`. */
  readonly message: string
}
