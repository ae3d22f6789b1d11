// Import: data files to classes and objects.
//
// What this layer promises:
//
// - No bytes trap, hang or overflow the stack: data that cannot be read, or does not fit, is an
//   `ImportError` that names the line and column, what was expected and what stands there.
// - The result does not depend on chunks: chunks of any length give the same records or the same
//   error. Memory follows the longest string, the records of one batch and the number of
//   properties; of a dump the number of objects too.
// - No integer becomes another one, and no number infinite, to fit the type of its property. A
//   decimal is made of the digits that are written, never by way of a double. Only digits beyond
//   what a decimal128 holds, and fractions of doubles and floats, are rounded.
// - Names and keys are told apart by their bytes. A dump makes a file with the same objects.
// - An error in data that is read twice is found before the first transaction. Each batch is one
//   transaction, and data from a pipe leaves the whole batches before its error.
//
// Reading order, which is the way of a record:
//
// 1. `Input/`: a `ByteSource` gives the bytes, of a file, a pipe or from memory.
// 2. `Reading/`: `ByteWindow` holds a part of them and knows the line and column; `JSONReader` and
//    `CSVReader` make a `DataRecord` at a time of it: values, each with its place. `ExtendedJSON`
//    has the values whose types are named.
// 3. `Planning/`: `TypeInference` gathers which kinds of value each property has; `ImportPlan` has
//    the rules by which these and the file's classes give types, `PropertyPlanner` follows them for
//    one property. `ImportPlan+Conversion` gives the values of a record their types.
// 4. `Importer`: reads, plans and stores, batch by batch, as `ImportOptions` say, in the database
//    of an `ImportDestination`.
// 5. `Writing/`: `ValuePresenter` shows objects as `OutputValue`, which `JSONWriter` writes.
// 6. `Dump/`: `DumpWriter` writes a whole file, classes included, and `DumpImporter` makes it again.
