const { area } = await tools.draw({ shape: { kind: 'rect', width: 3, height: 4 } })
return area
