// Meaning: classes, objects, links and collections, kept by column in the trees of AtollStorage.
//
// What this layer promises:
//
// - A transaction becomes one version, or nothing of it is left. A snapshot never changes.
// - Links are exact: a link leads to an object that exists, or waits for one (`PendingLinks`);
//   every link has its backlink, and deleting an object clears what led to it.
// - An index has exactly one entry for each object, a full-text index one for each of its words.
//   What a transaction has changed is seen by its own reads.
// - Bytes are never trusted: columns, row groups, indexes and the catalogue are checked before use.
//
// Reading order:
//
// 1. `Number/`: decimals and wide integers. `Value/`: `Value` and the types it may have;
//    `MixedCoding`, their bytes. `Order/`: `OrderedKey`, their one order as bytes.
// 2. `Schema/`: what a program says of its classes (`ClassSchema`, `PropertySchema`), and `Column`,
//    the handle of a property.
// 3. `Column/`: a vector is a column's part of one leaf: `IntVector`, `BitVector`, `FixedVector`,
//    `BytesVector` read it where it lies; `ColumnView` and `RowGroupPage`, a leaf of consecutive
//    objects. `Build/`: the builders write them, with `ZoneMaps`. `RowGroup/`: `RowGroupBuilder`,
//    `BlobStore`.
// 4. `List/`: a long list, a large set or map is a tree of its own, `ListTree`, changed element by
//    element by `MutableListTree`.
// 5. `Index/`: `Index` answers, `MutableIndex` gathers changes and merges them in order;
//    `Index/Leaf/` are its pages. `TextSearch/`: `Tokenizer` splits text into what a full-text
//    index lists.
// 6. `Catalogue/`: what the file says of its classes (`Catalogue`, `Schema`); `SchemaEditor`
//    changes it.
// 7. `Table/`: everything that reads objects: `Snapshot`, `Table`, `Object`, `ObjectReader` on the
//    leaves it keeps open.
// 8. `Write/`: `TableWriter` changes the objects of one class and keeps indexes and backlinks, and
//    tells a `ChangeWitness`; `PendingLinks`, links that wait for their targets; `ChangeSet`, what
//    a transaction did.
// 9. `Difference/`: `VersionDifference`, what two versions differ in, by the transactions of this
//    process (`ChangeHistory`) or by the leaves (`TableDifference`).
// 10. `Transaction/`: `Database`, `Transaction`, `ObjectWriter`: where a program begins, and the
//     changes of a transaction by kind: deletions, increments, elements, waiting links. `NamedTree`
//     keeps what a layer above has beside the objects; `DatabaseParticipant` is such a layer.
// 11. `Database/`: what is done with a whole file: check, compaction, salvage, status.
//
// The bytes are in Format.md, section 5.
