// Queries: from text to answer.
//
// What this layer promises:
//
// - Nothing in a text can trap, hang or overflow the stack: a query that cannot be parsed or bound
//   is a `QueryError` with its place, what was expected and the nearest name.
// - The plan never changes the answer: an index, a zone map or a vector scan only finds it sooner.
// - Tests are true or false, never unknown: null equals null and differs from every value.
//
// Reading order, which is the way of a query:
//
// 1. `Syntax/`: `QueryLimits`, the trees of queries (`Tree/`). `Lexer` and `Parser` make a
//    `QuerySyntax.Request` of the text, `Printer` text of the request. Needs nothing but the
//    standard library, so that a server can use it alone. `AtollQuery.docc/` describes the language
//    to those who write queries.
// 2. `Geo/`: `SphericalRing` and `SphericalCap` are the shapes of GEOWITHIN, `GeoRegion` one that
//    was checked; `GeoPoint` and its neighbours what a program makes them of.
// 3. `Predicate/`: what a test means, of any value: intervals, strings and their folding, patterns,
//    arithmetic, the words of `TEXT`, aggregates.
// 4. `Bind/`: `Binder` finds the classes, properties and types that the names mean and makes a
//    `BoundQuery`.
// 5. `Leaf/`: access to the leaves of a table and their columns; sets and lists of rows and
//    objects. `Scan/`: `CompiledPredicate` turns a column of a leaf into a `Selection`.
// 6. `Test/`: a `RowTest` narrows the rows of a leaf, in an `Execution`; `NumberBlocks` compute
//    arithmetic on columns. `Compile/`: `Compiler` makes tests of a bound predicate.
// 7. `Plan/`: `Planner` compares the ways to the objects: `IndexChoice` finds what an index can
//    answer, `LinkAccess` what backlinks can.
// 8. `Sort/`, `Group/`: what becomes of the rows that pass. `Run/`: `QueryRun` does all of it, leaf
//    by leaf, `Pipeline` the descriptors.
// 9. `Subscription/`: what sync and live queries need of a query: `QueryMatcher` tests chosen
//    objects, `QueryDependencies` say what it reads, `canonicalText` is the one text of all
//    spellings, `SubscriptionRules` what a server can follow.
//    `Live/`: a `LiveQuery` follows changes: `QueryScope` finds the objects that they may move,
//    `ListSplice` what that does to the list.
// 10. `Query`, `QueryResults`, `QueryGroups`, `QueryPlan`: what a program sees.
