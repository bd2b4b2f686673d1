const words = ['éclair', 'zebra', 'Äpfel', 'apple'].sort(new Intl.Collator('de').compare)
const graphemes = [...new Intl.Segmenter('en', { granularity: 'grapheme' }).segment('👩‍👧é')].length
const { words: back } = await tools.echo({ words })
return { back, graphemes }
