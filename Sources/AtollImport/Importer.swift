import AtollObjects

/// Reads records and stores them as objects, one durable transaction a batch.
///
/// An error anywhere in a batch rolls the batch back; batches before it stay.
package struct Importer {
  let destination: ImportDestination
  let className: String
  let options: ImportOptions
  /// Records in a transaction; all of them are in memory at once.
  let batchRecordCount: Int
  /// Called after each commit with the amount stored.
  let didCommit: (Summary) throws -> Void

  package init(
    destination: ImportDestination, className: String, options: ImportOptions,
    batchRecordCount: Int, didCommit: @escaping (Summary) throws -> Void = { _ in }
  ) {
    self.destination = destination
    self.className = className
    self.options = options
    self.batchRecordCount = batchRecordCount
    self.didCommit = didCommit
  }

  package struct Summary: Equatable {
    package var recordCount = 0
    package var createdCount = 0
    package var updatedCount = 0
    package var batchCount = 0
    package var valuelessProperties: [String] = []
    package var oddValues: [OddValue] = []
    /// The reader's remarks on how it read the data.
    package var remark: String?
  }

  /// The phase of an import, for its progress bar.
  package enum Phase: String {
    case reading, importing
  }

  /// Imports data that can be read twice; an error in it is found before anything is stored.
  ///
  /// Into a class with a unique index all records are stored in one transaction, and are in memory
  /// until then.
  ///
  /// `makeReader` opens the data at its beginning, once for each pass.
  package func run<Reader: RecordReader & ~Copyable>(
    readingTwice makeReader: () throws -> Reader, progress: (Phase, Int) -> Void = { _, _ in }
  ) throws -> Summary {
    var summary = Summary()
    while true {
      let plan = try survey(try makeReader(), progress: progress)
      guard plan.recordCount > 0 else { return summary }
      summary.valuelessProperties = plan.valuelessProperties
      summary.oddValues = plan.oddValues
      var reader = try makeReader()
      // Equal values of several objects show only at a commit: nothing is to be stored before it.
      let isJudgedAtOnce = plan.existing[className]?.indexes.contains(where: \.isUnique) ?? false
      let limit = isJudgedAtOnce ? Int.max : batchRecordCount
      let first = try batch(&reader, limit: limit, progress: progress) ?? []
      summary.remark = reader.remark
      // Another process may have changed the classes since the survey.
      guard try store(first, plan, changes: plan.changes, &summary) else { continue }
      while let batch = try batch(&reader, limit: limit, progress: progress) {
        _ = try store(batch, plan, changes: nil, &summary)
      }
      return summary
    }
  }

  /// Imports data that can be read only once, as from a pipe: types are decided batch by batch, and
  /// must fit the class as earlier batches made it.
  package func run<Reader: RecordReader & ~Copyable>(
    readingOnce reader: consuming Reader, progress: (Phase, Int) -> Void = { _, _ in }
  ) throws -> Summary {
    var reader = reader
    var summary = Summary()
    var original: ExistingClasses?
    while let batch = try batch(&reader, limit: batchRecordCount, progress: progress) {
      // Links and indexes that the first batch has settled are properties of the class now.
      let isFirst = summary.batchCount == 0
      let options = isFirst ? options : ImportOptions(laterBatchOf: options)
      while true {
        let plan = try plan(batch, options: options, original: original)
        if isFirst {
          summary.valuelessProperties = plan.valuelessProperties
          summary.oddValues = plan.oddValues
          summary.remark = reader.remark
        }
        if try store(batch, plan, changes: plan.changes, &summary) {
          original = original ?? plan.existing
          break
        }
      }
    }
    return summary
  }

  private func survey<Reader: RecordReader & ~Copyable>(
    _ reader: consuming Reader, progress: (Phase, Int) -> Void
  ) throws -> ImportPlan {
    var reader = reader
    let existing = try destination.classes()
    var inference = inference(existing, options)
    while let record = try reader.next() {
      inference.observe(record)
      if inference.recordCount % 256 == 0 { progress(.reading, reader.byteOffset) }
    }
    return try ImportPlan(inference, className: className, options: options, existing: existing)
  }

  private func plan(
    _ batch: [DataRecord], options: ImportOptions, original: ExistingClasses?
  ) throws -> ImportPlan {
    let existing = try destination.classes()
    var inference = inference(existing, options)
    for record in batch { inference.observe(record) }
    return try ImportPlan(
      inference, className: className, options: options, existing: existing, original: original)
  }

  private func inference(_ existing: ExistingClasses, _ options: ImportOptions) -> TypeInference {
    TypeInference(
      primaryKey: primaryKey(existing),
      shape: ImportShape(options: options, className: className, existing: existing))
  }

  private func primaryKey(_ existing: ExistingClasses) -> String? {
    guard let found = existing[className], !existing.isPlaceholder(className) else {
      return options.primaryKey
    }
    return found.primaryKey
  }

  /// The next records, nil after the last.
  private func batch<Reader: RecordReader & ~Copyable>(
    _ reader: inout Reader, limit: Int, progress: (Phase, Int) -> Void
  ) throws -> [DataRecord]? {
    var records: [DataRecord] = []
    while records.count < limit, let record = try reader.next() {
      records.append(record)
      if records.count % 256 == 0 { progress(.importing, reader.byteOffset) }
    }
    progress(.importing, reader.byteOffset)
    return records.isEmpty ? nil : records
  }

  /// Stores a batch in one transaction.
  ///
  /// `changes` are what the classes need first, made only if they still are those that the plan
  /// was made for; nil for a later batch of the same plan. The result is false when they are
  /// others by now; nothing was stored then.
  private func store(
    _ batch: [DataRecord], _ plan: ImportPlan, changes: [SchemaChange]?,
    _ summary: inout Summary
  ) throws -> Bool {
    // Before the file is touched, or even made.
    let records = try batch.map { try plan.convert($0) }
    let createdCount = try destination.write { transaction -> Int? in
      if let changes {
        guard try ExistingClasses(transaction) == plan.existing else { return nil }
        try transaction.apply(changes, to: className)
      }
      let loaded = try LoadedClass(className, plan, transaction.schema)
      var createdCount = 0
      for record in records where try transaction.put(record, into: loaded) { createdCount += 1 }
      return createdCount
    }
    guard let createdCount else { return false }
    summary.recordCount += batch.count
    summary.createdCount += createdCount
    summary.updatedCount += batch.count - createdCount
    summary.batchCount += 1
    try didCommit(summary)
    return true
  }
}

/// The columns of the class that a plan loads, looked up once for all records of a batch.
private struct LoadedClass {
  let plan: ImportPlan
  let table: TableSchema
  let primaryKey: Column?
  /// Of each property of the plan.
  private let columns: [Column]

  /// - Throws: `.noSuchClass`, `.noSuchProperty` and `.missingPrimaryKey` when the class is another
  ///   one than that of the plan by now.
  init(_ className: String, _ plan: ImportPlan, _ schema: Schema) throws(ObjectError) {
    self.plan = plan
    table = try schema.requireTable(className)
    primaryKey = table.primaryKey
    guard primaryKey?.name == plan.primaryKey else {
      throw .missingPrimaryKey(className: className, property: plan.primaryKey ?? "")
    }
    var columns: [Column] = []
    for property in plan.properties {
      columns.append(try table.requireColumn(property.description.name))
    }
    self.columns = columns
  }

  /// The values of a record with their columns; the primary key, if there is one, is the first.
  func values(_ record: ConvertedRecord) -> [(Column, Value)] {
    var values: [(Column, Value)] = []
    values.reserveCapacity(record.values.count + 1)
    if let primaryKey, let value = record.primaryKey { values.append((primaryKey, value)) }
    for value in record.values { values.append((columns[value.place], value.value)) }
    return values
  }
}

extension Transaction {
  /// Creates an object, or updates the one that has the primary key.
  ///
  /// A property that the record does not name is unchanged in an old object; in a new one it is
  /// null, or the default of its type where it is required, or empty if it is a collection. A link to a missing object is pending until the object
  /// exists.
  ///
  /// - Returns: true when the object is new.
  fileprivate func put(
    _ record: ConvertedRecord, into loaded: LoadedClass
  ) throws(ObjectError) -> Bool {
    let (key, isNew) = try create(
      table: loaded.table.id, loaded.values(record), isUpdating: loaded.primaryKey != nil)
    let className = loaded.table.name
    for link in record.links where !(isNew && link.targets.isEmpty) {
      try self.link(className, key, link.property, toPrimaryKeys: link.targets)
    }
    try embed(record.embedded, in: className, key, loaded.plan, isNew: isNew)
    return isNew
  }

  /// Makes the embedded objects of an object, in place of those that it has.
  private func embed(
    _ properties: [ConvertedRecord.Embedded], in className: String, _ key: ObjectKey,
    _ plan: ImportPlan, isNew: Bool
  ) throws(ObjectError) {
    for embedded in properties {
      if !isNew {
        let none: Value = embedded.isList ? .list([]) : .null
        try set(className, key, embedded.property, none)
      }
      guard !embedded.objects.isEmpty,
        let target = schema[className]?[embedded.property]?.linkTarget,
        let properties = plan.embeddedClasses[ExactText(target)]
      else { continue }
      for object in embedded.objects {
        let values = object.values.map {
          (name: properties[$0.place].description.name, value: $0.value)
        }
        let child = try createEmbedded(in: className, key, embedded.property, named: values)
        for link in object.links where !link.targets.isEmpty {
          try self.link(target, child, link.property, toPrimaryKeys: link.targets)
        }
        try embed(object.embedded, in: target, child, plan, isNew: true)
      }
    }
  }
}

extension ImportOptions {
  /// The options for new properties after the first batch: the primary key and the indexes exist,
  /// and a link option for a property that only a later batch has still applies.
  fileprivate init(laterBatchOf options: ImportOptions) {
    self = options
    primaryKey = nil
  }
}
