/** Words that say nothing of what is wanted. Never looked up, unless nothing else was asked. */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  `a an and are as at be been being but by can could do does did doing for from had has have having he her here hers him
  his how i if in into is it its itself just let me my myself no nor not of off on once or our ours ourselves out over own
  please she should so some such than that the their theirs them themselves then there these they this those through to
  too under until up upon us very via was we were what when where which while who whom whose why will with within without
  would you your yours yourself also any both each few more most other same only about above after again against all
  before below between during down further want wants need needs like e g ie eg etc s t d ll re ve don isn doesn`.split(
    /\s+/,
  ),
)

/** Words that fit nearly every tool: they break ties and decide nothing. */
export const WEAK_WORDS: ReadonlySet<string> = new Set(
  `one two three first second new now right give given giving put take use used using make makes thing things something
  everything anything currently current exactly directly specific particular certain several many much still already
  instead another available able way get show set go tool tools value values data information info name named named
  called based following them yet today yesterday tomorrow ever never every pass say says tell keep come comes`.split(
    /\s+/,
  ),
)
