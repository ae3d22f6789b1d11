// The sync protocol of a device and a server, without input or output.
//
// Time, in milliseconds, and randomness come as parameters; bytes go in, bytes come out.
// Operations, the outbox and the images that a device keeps are recorded below, in AtollCapture.
//
// Reading order, beside `Rules.md`, which has the rules that comments name by number:
//
// 1. `Message/`: `SyncMessage` and its kinds. `Message/Coding/`: their bytes; `MessageFrames` and
//    `MessageReader`.
// 2. `Merge/`: the algebra that device and server share (`Algebra.swift`), and its pure code:
//    `UnitState`, `ObjectRebase`.
// 3. `Inbox/`: operations to be reported to the app, as the file keeps them, and how they are
//    retried.
// 4. `State/`: other state of a device in its file; `SyncError` and `SyncEvent` report what happens
//    to it.
// 5. `Subscription/`: the versions of the subscription set in the file, and how they are changed.
// 6. `Client/`: the device's side. `SyncClient` receives and returns frames; `Rebase` applies the
//    server's messages to the file.
// 7. `Server/`: `SyncServer` and its parts. `Rights/`: access rules; `Store/`: the interface to
//    storage; `Record/`: records beside the objects; `View/`: which views a change may
//    concern (`InterestIndex`), and what each client holds; `Connection/`: state in memory, with
//    `ViewIndex`, which finds views for changes, and connections for views (`PendingChanges`);
//    `Judge/`: verdicts on pushes; `Tick/`: one transaction for all connections, with catch-up and
//    live batches.
//
// The bytes are in Format.md, "Sync messages".
