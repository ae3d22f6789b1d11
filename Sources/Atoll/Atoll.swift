// The interface that programs are written against.
//
// What this layer promises:
//
// - Source code for RealmSwift compiles when its import line is changed; what is there, and what is
//   not yet, is listed in `Atoll.docc/`, in Compatibility.md; what sync promises in Sync.md there.
// - A managed object, list or result shows the current version of its realm, and a realm stays at
//   one version until it moves: all that belongs to it moves together.
// - A realm is used where it was opened. Use elsewhere ends the process with a sentence, and never
//   reads or writes anything.
// - Wrong use ends the process through one function, `Misuse.trap`; everything else that can go
//   wrong is thrown as a `Realm.Error`, by a write at its end, and where nothing can be thrown the
//   failure handler of the configuration is told.
//
// Reading order, that of the rooms:
//
// 1. `Confinement/`: the place that a realm is used at; `Misuse`, and `Logger`, which is told of it;
//    `Monitor`, a state that tasks wait for.
// 2. `Realm/`: `Realm`, a handle, and `RealmContext` behind it: its version, its open write, its
//    classes, its failures; `RealmOpening`, the steps from a configuration to an open realm. Its
//    folders need each other, as an object reads from its realm, which makes objects. `Model/`: the
//    protocols between Swift's types and the file's; `ObjectBase`, `@Persisted`, and how
//    `ClassDescriptor` finds out what a class persists; `ManagedRow` and `ClassAccess`, through which
//    a property of a managed object is read. `File/`: `SharedFile`, which all realms of a file have
//    together; `SchemaChange` brings it up to the classes. `Write/`: `ObjectAdder` makes objects
//    managed. `Observers/`: `RealmNotifier` tells observers what has changed.
// 3. `Value/`: the types of properties. `Collection/`: lists, sets, maps, inverse links, mixed
//    values. `Query/`: the conditions of `where`, which are trees of the query language.
//    `ResultList/`: finds the elements, sorts and aggregates them.
// 4. `Object/`: what an object can do: `ValueBridge` makes it of dictionaries, it can be frozen.
//    `Results/`: `RealmCollection`, and the collections that stand on it.
// 5. `App/`: log-ins and what is kept of them. `Subscription/`: the set of subscriptions and its
//    changes. `Session/`: users, and the session of a synced file: `SessionNetwork` elects the
//    process that connects, `SessionLink` connects. `Sync/`: what applications ask a session for.
// 6. `Opening/`: `Realm.Configuration`, and how applications and sync open a realm.
// 7. `Notification/`: the observers of objects and collections. `Sections/`: the elements of a
//    collection by keys. `Projections/`: views of objects that show some properties. `QueryBased/`:
//    the older API of subscriptions. `Write/`: what applications write with.
//
// `Atoll.docc/` is the documentation for users.
