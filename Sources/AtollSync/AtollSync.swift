// Agreement: what a device and a server say to each other, without any input or output of its own.
//
// Time, in milliseconds, and randomness come as parameters; bytes go in, bytes come out.
// Operations, the outbox and the images that a device keeps are recorded below, in AtollObjects.
//
// Reading order:
//
// 1. `Message/`: `SyncMessage` and its kinds. `Message/Coding/`: their bytes; `MessageFrames` and
//    `MessageReader`.
// 2. `Merge/`: the algebra that device and server share (`Algebra.swift`), and its pure code:
//    `UnitState`, `ObjectRebase`.
// 3. `Inbox/`: what the app must hear, as the file keeps it, and how it is made again.
// 4. `State/`: what else a device keeps in its file; `SyncError` and `SyncEvent` say what happens
//    to it.
// 5. `Subscription/`: the versions of the subscription set in the file, and how they are changed.
// 6. `Client/`: the device's side. `SyncClient` takes and gives frames; `Rebase` makes what the
//    server said part of the file.
// 7. `Server/`: `SyncServer`, and what is decided there. `Rights/`: who may do what; `Store/`: the
//    port to what keeps it all; `Record/`: what is kept beside the objects; `View/`: what changed,
//    and what each client holds; `Connection/`: what lies in memory, with `ViewIndex`, where
//    changes meet subscriptions; `Judge/`: what becomes of a push; `Tick/`: one transaction for all
//    connections, with catch-up and live batches.
//
// The bytes are in Format.md, "Sync messages".
