/**
 * A pattern as a test of texts: `*` stands for anything but `separator`, `**` for anything. Patterns and texts both come
 * from outside, so all places where the pattern can stand are followed at once, a bit for each: a character costs one step
 * for every 32 of the pattern, whatever the stars.
 */
export function compileGlob(pattern: string, separator?: string): (text: string) => boolean {
  const pieces = pattern.match(/\*\*|\*|[^*]/gs) ?? []
  const length = pieces.filter((piece) => !piece.startsWith('*')).length
  const words = Math.floor(length / 32) + 1
  // Bit i: i characters of the pattern are matched. In the two below: at i, a star takes the next character.
  const withinSegment = new Uint32Array(words)
  const anywhere = new Uint32Array(words)
  // Bit i: the i-th character of the pattern is this one.
  const places = new Map<string, Uint32Array>()
  let at = 0
  for (const piece of pieces) {
    if (piece.startsWith('*')) {
      setBit(withinSegment, at)
      if (piece === '**' || separator === undefined) setBit(anywhere, at)
      continue
    }
    const bits = places.get(piece) ?? new Uint32Array(words)
    places.set(piece, bits)
    setBit(bits, ++at)
  }
  const isOpenEnd = hasBit(anywhere, length)
  return (text) => {
    let state = new Uint32Array(words)
    let next = new Uint32Array(words)
    state[0] = 1
    for (let i = 0; i < text.length; i++) {
      if (isOpenEnd && hasBit(state, length)) return true
      const character = text.charAt(i)
      const bits = places.get(character)
      const stars = character === separator ? anywhere : withinSegment
      let carry = 0
      let alive = 0
      for (let word = 0; word < words; word++) {
        const old = state[word] ?? 0
        next[word] = (((old << 1) | carry) & (bits?.[word] ?? 0)) | (old & (stars[word] ?? 0))
        carry = old >>> 31
        alive |= next[word] ?? 0
      }
      if (alive === 0) return false
      ;[state, next] = [next, state]
    }
    return hasBit(state, length)
  }
}

function setBit(bits: Uint32Array, index: number): void {
  bits[index >>> 5] = (bits[index >>> 5] ?? 0) | (1 << (index & 31))
}

function hasBit(bits: Uint32Array, index: number): boolean {
  return ((bits[index >>> 5] ?? 0) & (1 << (index & 31))) !== 0
}
