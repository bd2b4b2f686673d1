/** Takes something back that was put in. Calling it twice, or after its owner has gone, does nothing. */
export interface Disposer extends Disposable {
  (): void
}

export function createDisposer(takeBack: () => void): Disposer {
  let isDone = false
  const dispose = () => {
    if (isDone) return
    isDone = true
    takeBack()
  }
  return Object.assign(dispose, { [Symbol.dispose]: dispose })
}
