Here is the program:

```ts
const kyiv = await tools.get_weather({ city: 'Kyiv' })
return kyiv.conditions
```
