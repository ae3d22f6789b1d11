// Meaning: classes, objects, links and collections, kept by column in the trees of AtollStorage.
//
// What this layer promises:
//
// - A transaction becomes one version, or nothing of it is left. A snapshot never changes.
// - Links are exact: a link leads to an object that exists, or waits for one (`PendingLinks`);
//   every link has its backlink, and deleting an object clears what led to it.
// - An index has exactly one entry for each object, a full-text index one for each of its words.
//   What a transaction has changed is seen by its own reads.
// - Bytes are never trusted: columns, clusters, indexes and the catalogue are checked before use.
//
// Reading order:
//
// 1. `Value/`: `Value` and the types it may have; `Ordering` and `OrderedKey`, their one order;
//    `MixedCoding`, their bytes; `ValuePath`, the way to a part of one.
// 2. `Column/`: a vector is a column's part of one leaf: `IntVector`, `BitVector`, `FixedVector`,
//    `BytesVector` read it where it lies, the builders write it; `ColumnView`, `ColumnBuilder`.
// 3. `Table/`: a cluster is a leaf of consecutive objects: `ClusterView` to read, `ClusterBuilder`
//    to write; `ZoneMaps`, `BlobStore`; `Table` and `TableWriter` work on the whole tree,
//    `ObjectReader` on the leaves it keeps open. `List/`: a long list is a tree of its own, `ListTree`,
//    changed element by element by `MutableListTree`.
// 4. `Schema/`: what a user says (`ClassSchema`, `PropertySchema`) and what the file says
//    (`Catalogue`); `SchemaEditor` changes it.
// 5. `Index/`: `IndexTree` answers, `MutableIndexTree` gathers changes and merges them in order.
//    `TextSearch/`: `Tokenizer` splits text into what a full-text index lists. `Link/`: links that
//    wait for their targets.
// 6. `Object/`: `Object`, `ObjectKey`, `ObjectError`. `Change/`: what a transaction did, and what two
//    versions differ in.
// 7. `NamedTree/`: what a layer above keeps beside the objects, in the same commits.
// 8. What sync needs. `Recorded/`: objects by address, values and operations, and their bytes
//    (`RecordedWriter`, `RecordedReader`). `Element/`: the elements of a list have ids and places
//    (`ListPosition`). `Capture/`: a `Recorder` notes what changes, a `Recording` makes operations of
//    it, `Capture` keeps outbox and images. `Address/`: objects read and written by address.
// 9. `Database/`: `Database`, `Snapshot`, `Transaction`, `ObjectWriter`: where a program begins.
//    `Database+CompactInPlace` makes a file shorter while it is used.
//
// The bytes are in Format.md, section 5.
