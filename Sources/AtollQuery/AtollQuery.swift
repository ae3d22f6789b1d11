// Questions: the text of a query to its answer.
//
// What this layer promises:
//
// - Nothing in a text can trap, hang or overflow the stack: a query that cannot be parsed or bound
//   is a `QueryError` with its place, what was expected and the nearest name.
// - The plan never changes the answer: an index, a zone map or a kernel only finds it sooner.
// - Tests are true or false, never unknown: null equals null and differs from every value.
//
// Reading order, which is the way of a query:
//
// 1. `Syntax/`: `Lexer` and `Parser` make a `QuerySyntax.Request` of the text, `Printer` text of
//    the request. Needs nothing but the standard library, so that a server can use it alone.
//    `AtollQuery.docc/` describes the language to those who write queries.
// 2. `Geo/`: `SphericalRing` and `SphericalCap` are the shapes of GEOWITHIN, `GeoRegion` one that
//    was checked; `GeoPoint` and its neighbours what a program makes them of.
// 3. `Plan/`: `Binder` finds the classes, properties and types that the names mean and makes a
//    `BoundQuery`; `IndexChoice` finds what an index can answer, `LinkAccess` what backlinks can.
// 4. `Execution/`: `Compiler` makes tests of it, `Pipeline` and `QueryRun` run them leaf by leaf: a
//    kernel turns a column into a `Selection`, `NumberBlocks` compute arithmetic on columns;
//    `Sorting`, `DistinctRows` and `Aggregation` follow.
//    `TextSearch/`: `TextPattern` is what `TEXT` asks, `TextLookup` what the index answers.
// 5. `Subscription/`: what sync and live queries need of a query: `QueryMatcher` tests chosen
//    objects, `QueryDependencies` say what it reads, `canonicalText` is the one text of all spellings,
//    `SubscriptionRules` what a server can follow.
// 6. `Query`, `QueryResults`, `QueryGroups`, `QueryPlan`: what a program sees.
