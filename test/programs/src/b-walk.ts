async function sizeOf(dir: string): Promise<number> {
  const { entries } = await tools.list_files({ dir })
  const sizes = await Promise.all(entries.map((e) => (e.kind === 'dir' ? sizeOf(dir === '/' ? `/${e.name}` : `${dir}/${e.name}`) : e.size)))
  return sizes.reduce((a, b) => a + b, 0)
}
return await sizeOf('/')
