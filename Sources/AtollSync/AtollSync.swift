// Agreement: what a device and a server say to each other, without any input or output of its own.
//
// Time, in milliseconds, and randomness come as parameters; bytes go in, bytes come out. Operations,
// the outbox and the images that a device keeps are recorded below, in AtollObjects.
//
// Reading order:
//
// 1. `Merge/`: the algebra that device and server share (`Algebra.swift`), and its pure code:
//    `UnitState`, `ObjectRebase`.
// 2. `Message/`: `SyncMessage` and its kinds. `Message/Coding/`: their bytes; `MessageFrames` and
//    `MessageReader`.
// 3. `Subscription/`: the versions of the subscription set in the file, and how they are changed.
// 4. `Inbox/`: what the app must hear, as the file keeps it, and how it is made again.
// 5. `Client/`: the device's side. `SyncClient` takes and gives frames; `Rebase` makes what the server
//    said part of the file.
// 6. `Server/`: `SyncServer`, and what is decided there. `Store/`: the port to what keeps it all;
//    `Record/`: what is kept beside the objects. `Tick/`: one transaction for all connections;
//    `Rights/`: who may do what; `Judge/`: what becomes of a push; `View/`: where changes meet subscriptions, and what each client
//    holds; `Stream/`: catch-up and live batches.
//
// The bytes are in Format.md, "Sync messages".
