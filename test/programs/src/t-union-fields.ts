const { shapes } = await tools.list_shapes({})
return shapes.map((s) => (s.kind === 'circle' ? s.radius * 2 : s.width * s.height)).concat(shapes[0].radius)
