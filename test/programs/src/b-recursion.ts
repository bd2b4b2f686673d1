type Tree = Awaited<ReturnType<typeof tools.get_tree>>
const depth = (node: Tree): number => 1 + Math.max(0, ...node.children.map(depth))
const names = (node: Tree): string[] => [node.name, ...node.children.flatMap(names)]
const tree = await tools.get_tree({ root: 1 })
return { depth: depth(tree), names: names(tree) }
