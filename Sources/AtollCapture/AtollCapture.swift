// What sync keeps on a device: operations that its app did, until a server has answered them, and
// what was there before.
//
// What this layer promises:
//
// - What an app changes in a synced class lies in the outbox with the commit that changed it, or
//   neither does. What the server said is not recorded.
// - The values before the first pending operation on a unit are kept (its image) until none is
//   pending.
// - An element of a list has an id and a place, an embedded object an incarnation, and an object
//   keeps its key while the server has it.
// - A database that is opened without `Database.Options.recording` records nothing: its trees stay
//   as they are, and a change of a synced class is refused.
//
// Reading order:
//
// 1. `Recorded/`: objects by address (`ObjectAddress`), values (`RecordedValue`) and operations
//    (`Operation`), and their bytes (`RecordedWriter`, `RecordedReader`); elements of lists have
//    ids and places (`ListPosition`).
// 2. `Tree/`: `Capture`, the trees that a file keeps for sync, in `CaptureTree` and `ElementTree`;
//    `SyncState`, what it knows of itself as a client.
// 3. `Transaction/`: `CaptureState` takes part in a transaction. A `Recorder` for each synced class
//    notes what is about to change, at the end a `Recording` makes operations of what was noted.
//    `AddressedWriter` reads and writes by address, as the server's words are applied.
// 4. `Database/`: `DatabaseCapture` takes part in a database; `CaptureCheck` verifies what is kept,
//    `Transaction+CaptureMending` makes it fit again in a salvaged file.
//
// The bytes are in Format.md, "Recorded values" and "Trees of a device".
