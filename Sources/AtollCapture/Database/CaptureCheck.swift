import AtollObjects

/// Verifies what a file keeps for sync against itself and against the objects.
///
/// 1. Outbox entries decode; their numbers were given out, and are not answered.
/// 2. Each operation of an entry is in the index of what is pending, once, and nothing else is;
///    those on objects of asymmetric classes are not, and on a device such classes have no objects.
/// 3. An object that has images has pending operations: without any, no image is left.
/// 4. A list's ids and positions are as many as its elements, those that wait included; they
///    ascend, and no id comes twice. Of synced classes every list has them.
/// 5. Objects that are not there have no elements, and no life in head.
/// 6. Incarnations are of embedded objects that are there.
struct CaptureCheck {
  private let snapshot: Snapshot
  private var findings: [String] = []
  /// Objects with pending operations, by their keys.
  private var pendingObjects: Set<[UInt8]> = []

  init(_ snapshot: Snapshot) { self.snapshot = snapshot }

  mutating func run() -> [String] {
    attempt("the outbox") { check throws(ObjectError) in try check.checkOutbox() }
    attempt("the images") { check throws(ObjectError) in try check.checkImages() }
    attempt("the ids of elements") { check throws(ObjectError) in try check.checkElements() }
    attempt("the incarnations") { check throws(ObjectError) in try check.checkIncarnations() }
    attempt("the generations") { check throws(ObjectError) in try check.checkGenerations() }
    return findings
  }

  private mutating func attempt(
    _ what: String, _ body: (inout CaptureCheck) throws(ObjectError) -> Void
  ) {
    do throws(ObjectError) { try body(&self) } catch {
      findings.append("\(what) cannot be read: \(error)")
    }
  }

  private func tree(_ name: String) -> CaptureTree<NamedTreeView>? {
    snapshot.namedTree(name).map { CaptureTree($0) }
  }

  // MARK: Operations

  private mutating func checkOutbox() throws(ObjectError) {
    let state = try snapshot.syncState()
    var operations: [UInt64: [ObjectAddress]] = [:]
    var found: [String] = []
    try tree(CaptureKey.outbox)?.visit { key, bytes throws(ObjectError) in
      let entry = try Capture.entry(bytes)
      if CaptureKey.number(entry.number) != key {
        found.append("an outbox entry has the number \(entry.number) in another's place")
      }
      guard let state, entry.number < state.nextNumber, entry.number > state.answered else {
        found.append("outbox entry \(entry.number) was answered, or its number not given out")
        return true
      }
      if case .push(let content) = entry.content {
        operations[entry.number] = content.operations.map(\.object)
      }
      return true
    }
    let schema = snapshot.schema
    var counts = operations.mapValues { objects in
      objects.count { !(schema.table($0.className)?.isAsymmetric ?? false) }
    }
    var objects: Set<[UInt8]> = []
    try tree(CaptureKey.touched)?.visit { key, bytes throws(ObjectError) in
      guard let (address, rest) = CaptureKey.address(key) else { throw .damagedRecord }
      let pending = try Capture.pending(rest, bytes)
      objects.insert(CaptureKey.object(address))
      let range = UInt64(pending.first)..<UInt64(pending.first) + UInt64(pending.count)
      guard let entry = operations[pending.number], range.upperBound <= UInt64(entry.count),
        entry[Int(range.lowerBound)..<Int(range.upperBound)].allSatisfy({ $0 == address })
      else {
        found.append(
          "\(address) is said to be touched by operations of outbox entry \(pending.number)")
        return true
      }
      counts[pending.number, default: 0] -= Int(pending.count)
      return true
    }
    for (number, count) in counts.sorted(by: { $0.key < $1.key }) where count != 0 {
      found.append("\(count) operations of outbox entry \(number) are not indexed as pending")
    }
    pendingObjects = objects
    findings += found
  }

  private mutating func checkImages() throws(ObjectError) {
    var found: [String] = []
    let objects = pendingObjects
    try tree(CaptureKey.images)?.visit { key, bytes throws(ObjectError) in
      guard let (address, rest) = CaptureKey.address(key), let kind = rest.first else {
        throw .damagedRecord
      }
      switch kind {
      case 0:
        _ = try Capture.decode { () throws(ValueCodingError) in try Capture.ownImages(bytes) }
      case 1:
        guard let (_, id) = CaptureKey.name(rest.dropFirst()), CaptureKey.elementID(id) != nil
        else { throw .damagedRecord }
        _ = try Capture.unitValue(bytes)
      default:
        guard let (_, end) = CaptureKey.name(rest.dropFirst()) else { throw .damagedRecord }
        let (part, _) = try Capture.partImage(bytes)
        if Array(end) != part.treeKey {
          found.append("\(address) has the image of a member or an entry in another's place")
        }
      }
      if !objects.contains(CaptureKey.object(address)) {
        found.append("\(address) has an image and no pending operation")
      }
      return true
    }
    findings += found
  }

  // MARK: Objects

  private mutating func checkGenerations() throws(ObjectError) {
    var found: [String] = []
    let snapshot = snapshot
    // A server's store is where they are kept.
    for table in snapshot.schema.tables where table.isAsymmetric && !snapshot.isServerStore {
      let count = try snapshot.table(table.name).count
      if count > 0 { found.append("the asymmetric class \(table.name) has \(count) objects") }
    }
    try tree(CaptureKey.generations)?.visit { key, bytes throws(ObjectError) in
      guard let (address, rest) = CaptureKey.address(key), rest.isEmpty else {
        throw .damagedRecord
      }
      let lives = try Capture.decode { () throws(ValueCodingError) in
        try ObjectGenerations(decoding: bytes)
      }
      if lives.head != nil, try snapshot.key(of: address) == nil {
        found.append("\(address) has a life in head and is not there")
      }
      return true
    }
    findings += found
  }

  private mutating func checkIncarnations() throws(ObjectError) {
    guard let tree = snapshot.namedTree(CaptureKey.incarnations) else { return }
    var found: [String] = []
    let snapshot = snapshot
    try tree.visit(prefix: [], from: []) { key, bytes throws(ObjectError) in
      guard let object = CaptureKey.object(ofIncarnation: key),
        CaptureKey.elementID(bytes[...]) != nil
      else { throw .damagedRecord }
      let table = snapshot.schema.table(id: object.table)
      let isThere =
        try table.map { table throws(ObjectError) in
          try snapshot.table(table.name).object(ObjectKey(rawValue: object.key)) != nil
        } ?? false
      if table?.isEmbedded != true || !isThere {
        found.append("object \(object.key) of table \(object.table) has an incarnation only")
      }
      return true
    }
    findings += found
  }

  private mutating func checkElements() throws(ObjectError) {
    var found: [String] = []
    var known: Set<[UInt8]> = []
    let snapshot = snapshot
    /// Checks that the elements of a list have ids, each one.
    func check(_ address: ObjectAddress, _ name: String, _ elements: [ListElement])
      throws(ObjectError)
    {
      if !elements.isEmpty { known.insert(CaptureKey.property(CaptureKey.object(address), name)) }
      if !zip(elements, elements.dropFirst()).allSatisfy({ $0 < $1 })
        || Set(elements.map(\.id)).count != elements.count
      {
        found.append("the elements of \(address).\(name) are out of order")
      }
      if try snapshot.elementCount(of: address, name) != elements.count {
        found.append("the elements of \(address).\(name) have \(elements.count) ids")
      }
    }
    try tree(CaptureKey.elements)?.visit { key, bytes throws(ObjectError) in
      guard let (address, rest) = CaptureKey.address(key), let (name, end) = CaptureKey.name(rest),
        end.isEmpty
      else { throw .damagedRecord }
      let elements = try Capture.decode { () throws(ValueCodingError) in
        try Capture.elements(bytes)
      }
      try check(address, name, elements)
      return true
    }
    var lists: [(number: UInt64, object: ObjectAddress, property: String)] = []
    var places: [UInt64: [ListElement]] = [:]
    var ids: [UInt64: Set<ListElement>] = [:]
    var next: UInt64 = 0
    try snapshot.namedTree(CaptureKey.places)?.visit(prefix: [], from: []) {
      key, value throws(ObjectError) in
      switch try ElementTree.entry(key, value) {
      case .list(let object, let property, let number): lists.append((number, object, property))
      case .place(let list, let element): places[list, default: []].append(element)
      case .id(let list, let element): ids[list, default: []].insert(element)
      case .counter(let number): next = number
      }
      return true
    }
    for (number, object, property) in lists {
      let elements = places.removeValue(forKey: number) ?? []
      try check(object, property, elements)
      if ids.removeValue(forKey: number) ?? [] != Set(elements) || number >= next {
        found.append("the elements of \(object).\(property) are not found by their ids")
      }
    }
    if !places.isEmpty || !ids.isEmpty { found.append("elements have ids and lie in no list") }
    for table in snapshot.schema.tables where table.isSynced && !table.isEmbedded {
      for column in table.columns where column.layout.collection == .list {
        found += try Self.listsWithoutIDs(column, table, snapshot, known)
      }
    }
    findings += found
  }

  private static func listsWithoutIDs(
    _ column: Column, _ table: TableSchema, _ snapshot: Snapshot, _ known: Set<[UInt8]>
  ) throws(ObjectError) -> [String] {
    guard let primaryKey = table.primaryKey else { return [] }
    var found: [String] = []
    do {
      try snapshot.table(table.name).forEach { object in
        guard try snapshot.elementCount(table, object.key, column) > 0 else { return }
        let address = ObjectAddress(
          className: table.name, primaryKey: try object.value(primaryKey))
        if !known.contains(CaptureKey.property(CaptureKey.object(address), column.name)) {
          found.append("the elements of \(address).\(column.name) have no ids")
        }
      }
    } catch { throw ObjectError(any: error) }
    return found
  }
}

extension Snapshot {
  /// The key of an object; nil when it is not there.
  fileprivate func key(of address: ObjectAddress) throws(ObjectError) -> ObjectKey? {
    guard schema.table(address.className) != nil else { return nil }
    return try table(address.className).key(primaryKey: address.primaryKey)
  }

  /// How many elements a list has, those that wait included; nil when there is no such list.
  fileprivate func elementCount(of address: ObjectAddress, _ property: String)
    throws(ObjectError) -> Int?
  {
    guard let table = schema.table(address.className), let column = table.column(property),
      column.layout.collection == .list, let key = try key(of: address)
    else { return nil }
    return try elementCount(table, key, column)
  }

  fileprivate func elementCount(_ table: TableSchema, _ key: ObjectKey, _ column: Column)
    throws(ObjectError) -> Int
  {
    let value = try self.table(table.name).object(key)?.value(column)
    // Those that wait in a list of mixed values are null in it.
    if column.layout.value == .mixed { return value?.list?.count ?? 0 }
    return (value?.list?.count ?? 0)
      + (try waitingCount(ObjectLink(table: table.id, key: key.rawValue), column))
  }
}
