let n = 0
for (;;) {
  await tools.get_user({ id: 1 })
  n++
}
