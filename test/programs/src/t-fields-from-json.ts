const wanted = JSON.parse('[{"n":1},{"n":3}]')
const titles = []
for (const { n } of wanted) titles.push((await tools.get_issue({ number: n })).title)
return titles
