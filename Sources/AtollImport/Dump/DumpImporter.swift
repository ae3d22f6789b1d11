import AtollObjects

/// Makes the classes and objects of a dump of all classes, one durable transaction a batch.
///
/// The lines that describe classes come first. Objects come in any order: a link by primary key
/// waits in the file; links by number are kept in memory until all objects are there.
package final class DumpImporter {
  private let destination: ImportDestination
  private let batchRecordCount: Int
  private let didCommit: (Importer.Summary) throws -> Void

  private var classes = DumpedClasses()
  private var summary = Importer.Summary()
  /// The objects of classes without primary key, by the numbers that they had.
  private var objects: [ExactText: [Int64: ObjectKey]] = [:]
  private var waiting: [WaitingLinks] = []

  private var waitingMixed: [WaitingMixed] = []

  /// A property whose links lead to objects that may not be there yet.
  private struct WaitingLinks {
    var className: String
    var key: ObjectKey
    var links: DumpedObject.Links
  }

  /// A property of mixed values that hold such links.
  private struct WaitingMixed {
    var className: String
    var key: ObjectKey
    var mixed: DumpedObject.Mixed
  }

  package init(
    destination: ImportDestination, batchRecordCount: Int,
    didCommit: @escaping (Importer.Summary) throws -> Void = { _ in }
  ) {
    self.destination = destination
    self.batchRecordCount = batchRecordCount
    self.didCommit = didCommit
  }

  /// Imports a dump that can be read twice; an error in it is found before anything is stored.
  ///
  /// The first transaction makes all classes, so one that the file's format refuses stops all as
  /// well. `makeReader` opens the dump at its beginning, once for each pass.
  package func run(
    readingTwice makeReader: () throws -> JSONReader, progress: (Importer.Phase, Int) -> Void
  ) throws -> Importer.Summary {
    var check = DumpCheck(existing: try destination.classes())
    var reader = try makeReader()
    var count = 0
    while let record = try reader.next() {
      try check.observe(record)
      count += 1
      if count % 256 == 0 { progress(.reading, reader.byteOffset) }
    }
    try check.finish()
    return try run(try makeReader(), declared: check.classes.classes) { progress(.importing, $0) }
  }

  /// Imports a dump that can be read only once, as from a pipe; an error in it leaves the batches
  /// before.
  package func run(
    readingOnce reader: consuming JSONReader, progress: (Importer.Phase, Int) -> Void
  ) throws -> Importer.Summary {
    try run(reader, declared: []) { progress(.importing, $0) }
  }

  /// Makes the classes `declared` first; without them, each as it comes.
  private func run(
    _ reader: consuming JSONReader, declared: [ClassSchema], progress: (Int) -> Void
  ) throws -> Importer.Summary {
    var reader = reader
    var batch: [(className: String, key: Int64?, object: DumpedObject)] = []
    var newClasses = declared
    while let record = try reader.next() {
      switch try DumpLine(record) {
      case .description(let schema):
        try classes.add(schema, at: record.position)
        if declared.isEmpty { newClasses.append(schema) }
      case .object(let className, let key, let fields):
        let object = try classes.object(fields, of: className, at: record.position)
        batch.append((className, key, object))
      }
      guard batch.count >= batchRecordCount else { continue }
      try store(batch, newClasses)
      progress(reader.byteOffset)
      batch = []
      newClasses = []
    }
    if !batch.isEmpty || !newClasses.isEmpty { try store(batch, newClasses) }
    try linkWaiting()
    return summary
  }

  private func store(
    _ batch: [(className: String, key: Int64?, object: DumpedObject)], _ newClasses: [ClassSchema]
  ) throws {
    var made: [(className: String, number: Int64, key: ObjectKey)] = []
    var waiting = Waiting()
    try destination.write { transaction in
      if !newClasses.isEmpty { try transaction.addClasses(newClasses) }
      for (className, number, object) in batch {
        let table = try transaction.schema.requireTable(className)
        var values: [(Column, Value)] = []
        values.reserveCapacity(object.values.count)
        for (name, value) in object.values { values.append((try table.requireColumn(name), value)) }
        let key = try transaction.create(table: table.id, values).key
        if let number { made.append((className, number, key)) }
        try fill(className, key, object, transaction, &waiting)
      }
    }
    // Only what is committed counts.
    for (className, number, key) in made {
      objects[ExactText(className), default: [:]][number] = key
    }
    self.waiting += waiting.links
    waitingMixed += waiting.mixed
    summary.recordCount += batch.count
    summary.createdCount += batch.count
    summary.batchCount += 1
    try didCommit(summary)
  }

  /// What a batch leaves for the end.
  private struct Waiting {
    var links: [WaitingLinks] = []
    var mixed: [WaitingMixed] = []
  }

  /// Makes the links and the embedded objects of an object.
  private func fill(
    _ className: String, _ key: ObjectKey, _ object: DumpedObject, _ transaction: Transaction,
    _ waiting: inout Waiting
  ) throws {
    for mixed in object.mixed {
      waiting.mixed.append(WaitingMixed(className: className, key: key, mixed: mixed))
    }
    for links in object.links {
      // Links by number wait, and so do maps in which such links are null.
      guard classes[links.target]?.primaryKey != nil else {
        waiting.links.append(WaitingLinks(className: className, key: key, links: links))
        continue
      }
      var keys: [Value] = []
      var entries: [(key: String, target: Value?)] = []
      for (mapKey, target, _) in links.entries {
        switch (mapKey, target) {
        case (nil, .primaryKey(let value)): keys.append(value)
        case (let mapKey?, .primaryKey(let value)): entries.append((mapKey, value))
        case (let mapKey?, nil): entries.append((mapKey, nil))
        default: break
        }
      }
      if links.property.collection == .map {
        try transaction.link(className, key, links.property.name, toPrimaryKeysOf: entries)
      } else {
        try transaction.link(className, key, links.property.name, toPrimaryKeys: keys)
      }
    }
    for embedded in object.embedded {
      let child = try transaction.createEmbedded(
        in: className, key, embedded.property, mapKey: embedded.mapKey,
        named: embedded.object.values)
      try fill(embedded.className, child, embedded.object, transaction, &waiting)
    }
  }

  /// Sets the links that need all objects to be there; one to an object that never came is an
  /// error.
  private func linkWaiting() throws {
    var rest = waiting[...]
    while !rest.isEmpty {
      let batch = rest.prefix(batchRecordCount)
      rest = rest.dropFirst(batchRecordCount)
      try destination.write { transaction in
        for waiting in batch {
          let links = waiting.links
          let table = try transaction.table(links.target)
          var found: [(mapKey: String?, link: Value)] = []
          for (mapKey, key, position) in links.entries {
            guard let key else {
              found.append((mapKey, .null))
              continue
            }
            let target = try self.key(links.target, key, transaction, at: position)
            let link = ObjectLink(table: table.schema.id, key: target.rawValue)
            found.append((mapKey, .link(link)))
          }
          let value: Value =
            switch links.property.collection {
            case .none: found.first?.link ?? .null
            case .list, .set: .list(found.map(\.link))
            case .map: .map(ValueMap(found.map { ($0.mapKey ?? "", $0.link) }))
            }
          try transaction.set(waiting.className, waiting.key, links.property.name, value)
        }
      }
      summary.batchCount += 1
      try didCommit(summary)
    }
    waiting = []
    try setWaitingMixed()
  }

  /// Sets the mixed values with links in them; one to an object that never came is an error.
  private func setWaitingMixed() throws {
    var rest = waitingMixed[...]
    while !rest.isEmpty {
      let batch = rest.prefix(batchRecordCount)
      rest = rest.dropFirst(batchRecordCount)
      try destination.write { transaction in
        for waiting in batch {
          let mixed = waiting.mixed
          var links: [Value] = []
          for (className, key, position) in mixed.targets.reversed() {
            let table = try transaction.table(className).schema.id
            let target = try self.key(className, key, transaction, at: position)
            links.append(.link(ObjectLink(table: table, key: target.rawValue)))
          }
          let value = try PlannedProperty(description: mixed.property).convert(mixed.field) {
            _, key, _ throws(ImportError) in key == .null ? .null : links.popLast() ?? .null
          }
          try transaction.set(waiting.className, waiting.key, mixed.property.name, value)
        }
      }
      summary.batchCount += 1
      try didCommit(summary)
    }
    waitingMixed = []
  }

  /// The object that a dump names.
  ///
  /// - Throws: `.notInDump` when it never came.
  private func key(
    _ className: String, _ key: DumpedObject.Key, _ transaction: Transaction,
    at position: SourcePosition
  ) throws -> ObjectKey {
    let found =
      switch key {
      case .primaryKey(let value): try transaction.key(className, primaryKey: value)
      case .number(let number): objects[ExactText(className)]?[number]
      }
    guard let found else {
      throw ImportError.data(.notInDump(key.text, className: className), at: position)
    }
    return found
  }
}
