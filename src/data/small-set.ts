/** A set for what mostly has one member at a time: a real one is made for the second. In order of arrival. */
export class SmallSet<T extends object | string> {
  #one: T | undefined
  #more: Set<T> | undefined

  get size(): number {
    return this.#more?.size ?? (this.#one === undefined ? 0 : 1)
  }

  has(member: T): boolean {
    return this.#more?.has(member) ?? this.#one === member
  }

  add(member: T): void {
    if (this.#more !== undefined) this.#more.add(member)
    else if (this.#one === undefined) this.#one = member
    else if (this.#one !== member) {
      this.#more = new Set([this.#one, member])
      this.#one = undefined
    }
  }

  delete(member: T): void {
    if (this.#more === undefined) {
      if (this.#one === member) this.#one = undefined
      return
    }
    this.#more.delete(member)
    if (this.#more.size === 0) this.#more = undefined
  }

  /** Like a set's: what is deleted meanwhile is not visited any more. */
  forEach(visit: (member: T) => void): void {
    if (this.#more !== undefined) for (const member of this.#more) visit(member)
    else if (this.#one !== undefined) visit(this.#one)
  }
}
