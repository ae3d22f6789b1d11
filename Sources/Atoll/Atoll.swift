// The interface that programs are written against.
//
// What this layer promises:
//
// - Source code for RealmSwift compiles when its import line is changed; what is there, and what is
//   not yet, is listed in `Atoll.docc/`, in Compatibility.md; what sync promises in Sync.md there.
// - A managed object, list or result shows the current version of its realm, and a realm stays at one
//   version until it moves: all that belongs to it moves together.
// - A realm is used where it was opened. Use elsewhere ends the process with a sentence, and never
//   reads or writes anything.
// - Wrong use ends the process through one function, `Misuse.trap`; everything else that can go wrong
//   is thrown as a `Realm.Error`.
//
// Reading order:
//
// 1. `Value/`: the protocols between Swift's types and the file's; the types themselves.
// 2. `Model/`: `ObjectBase`, `@Persisted`, and how `ClassDescriptor` finds out what a class persists.
// 3. `Realm/`: `Realm`, its configuration and its files; `RealmOpening`, the steps to an open one;
//    `SchemaChange`, which brings a file up to the classes. `Context/`: what is behind a `Realm`:
//    `RealmContext`, its version and place; `ManagedRow` and `ClassAccess`, through which a property is
//    read; `Monitor`, a state that tasks wait for.
// 4. `Write/`: writes; `ObjectAdder`, which makes objects managed; `ValueBridge`, which makes them of
//    dictionaries.
// 5. `Collection/`: lists and inverse links. `Query/`: the conditions of `where`, which are trees of the
//    query language. `Results/`: `RealmCollection`, and `ResultList`, which finds the elements.
//    `Notification/`: `RealmNotifier` tells observers what has changed.
// 6. `App/`: users and how they log in. `Sync/`: the session of a synced file: `SessionNetwork` elects
//    the process that connects, `SessionLink` connects. `Subscription/`: the set of subscriptions, what
//    changes it and who waits for it.
//
// `Atoll.docc/` is the documentation for users.
