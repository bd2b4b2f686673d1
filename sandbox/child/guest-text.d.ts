/** The guest bundle as a string, put in by the build. */
declare module 'codeferry:guest' {
  const code: string
  export default code
}
