internal import AtollObjects
internal import AtollStorage

/// Where the objects that a query tests come from.
indirect enum AccessPath {
  /// All objects of the class, leaf by leaf; zone maps leave leaves out.
  case scan
  /// The objects whose keys lie in ascending ranges: their primary keys are their places.
  case keyed(KeyedAccess)
  case index(IndexAccess)
  /// The objects whose text has certain words.
  case words(TextLookup)
  /// What at least one of several paths gives, none of which is a scan.
  case any([AccessPath])
  /// What each of several paths gives, none of which is a scan.
  case all([AccessPath])
}

/// Ranges of an ordered index that hold all the objects that can pass.
struct IndexAccess {
  /// What the index lists objects by.
  enum Listing {
    case column(Column)
    case table(TableIndex)
  }

  let listing: Listing
  let index: Index
  /// They do not overlap.
  let ranges: [IndexRange]
  /// The entries in the ranges.
  let count: Int

  /// The one column of the index; nil for an index of several columns, or a unique one.
  var column: Column? { if case .column(let column) = listing { column } else { nil } }
}

/// Ranges of the keys of a class whose objects are kept in the order of their primary keys.
struct KeyedAccess {
  let column: Column
  /// They ascend and do not overlap.
  let ranges: [ClosedRange<UInt64>]
  /// The objects in the ranges, about.
  let estimate: Int
}

extension KeyedAccess {
  /// The keys of the objects there are in the ranges, ascending.
  fileprivate func keys(_ table: TableAccess, _ meter: AccessMeter?) throws -> [UInt64] {
    var keys: [UInt64] = []
    for range in ranges {
      if range.lowerBound == range.upperBound {
        meter?.leavesRead += 1
        if try table.locate(range.lowerBound) != nil { keys.append(range.lowerBound) }
        continue
      }
      var cursor = table.table.tree.cursor(from: TreeKey(range.lowerBound))
      while let entry = try cursor.next() {
        let rowGroup = try table.table.rowGroup(entry.reference)
        meter?.leavesRead += 1
        var row = rowGroup.lowerBound(ofKey: range.lowerBound)
        while row < rowGroup.rowCount, rowGroup.key(row) <= range.upperBound {
          keys.append(rowGroup.key(row))
          row += 1
        }
        if row < rowGroup.rowCount { break }
      }
    }
    return keys
  }
}

extension AccessPath {
  /// About how many objects the path gives, of `rowCount` that there are.
  func estimate(_ rowCount: Int) -> Double {
    switch self {
    case .scan: Double(rowCount)
    case .keyed(let access): Double(access.estimate)
    case .index(let access): Double(access.count)
    case .words(let lookup): Double(lookup.estimate ?? rowCount)
    case .any(let parts): min(Double(rowCount), parts.reduce(0) { $0 + $1.estimate(rowCount) })
    case .all(let parts):
      parts.reduce(Double(rowCount)) { $0 * $1.estimate(rowCount) / max(1, Double(rowCount)) }
    }
  }

  /// Entries that are read from indexes, and the places that these are read at.
  var entries: (count: Double, places: Double) {
    switch self {
    case .scan: (0, 0)
    case .keyed(let access): (Double(access.estimate), Double(access.ranges.count))
    case .index(let access): (Double(access.count), Double(access.ranges.count))
    case .words(let lookup): (Double(lookup.estimate ?? 0), 1)
    case .any(let parts), .all(let parts):
      parts.reduce((0, 0)) { ($0.0 + $1.entries.count, $0.1 + $1.entries.places) }
    }
  }

  /// Whether keys are best had without a look at the objects.
  var hasKeys: Bool {
    // A range of primary keys is a run of leaves, which are visited rather than listed.
    if case .keyed = self { false } else { listsKeys }
  }

  /// Whether keys can be listed, as a part of a path.
  var listsKeys: Bool {
    switch self {
    case .scan: false
    case .keyed, .index, .words: true
    case .any(let parts), .all(let parts): parts.allSatisfy(\.listsKeys)
    }
  }

  /// The keys that the path gives, ascending; each once.
  ///
  /// Cost: some nanoseconds an entry; 8 bytes an entry. Not for a scan.
  func keys(_ table: TableAccess, _ meter: AccessMeter?) throws -> [UInt64] {
    var keys: [UInt64]
    let start = meter.map { _ in ContinuousClock.now }
    switch self {
    case .scan: preconditionFailure("a scan lists no keys")
    case .keyed(let access): keys = try access.keys(table, meter)
    case .index(let access):
      keys = []
      keys.reserveCapacity(access.count)
      for range in access.ranges {
        if let meter {
          try access.index.forEachLeaf(range) { found in
            meter.leavesRead += 1
            for index in found.indices { keys.append(found[index]) }
            return true
          }
        } else {
          keys += try access.index.keys(range)
        }
      }
      try KeyLists.sort(&keys, table)
    case .words(let lookup): keys = try lookup.keys()
    case .any(let parts):
      keys = []
      for (index, part) in parts.enumerated() {
        keys += try part.keys(table, meter?.parts[index])
      }
      try KeyLists.sort(&keys, table)
      KeyLists.removeDuplicates(&keys)
    case .all(let parts):
      keys = try parts[0].keys(table, meter?.parts[0])
      for (index, part) in parts.enumerated().dropFirst() {
        if keys.isEmpty { break }
        keys = KeyLists.intersection(keys, try part.keys(table, meter?.parts[index]))
      }
    }
    if let meter, let start {
      meter.rows = keys.count
      meter.time = start.duration(to: .now)
    }
    return keys
  }
}

/// What the steps of an access path have cost.
final class AccessMeter {
  var rows = 0
  var leavesRead = 0
  var time = Duration.zero
  let parts: [AccessMeter]

  /// For a path and all its parts.
  init(_ path: AccessPath) {
    switch path {
    case .scan, .keyed, .index, .words: parts = []
    case .any(let inner), .all(let inner): parts = inner.map(AccessMeter.init)
    }
  }
}

/// Lists of object keys, ascending.
enum KeyLists {
  /// Sorts keys of a table.
  ///
  /// Many keys are sorted through a bitmap where the keys of the table lie densely.
  static func sort(_ keys: inout [UInt64], _ table: TableAccess) throws {
    guard keys.count > 64 else {
      keys.sort()
      return
    }
    if keys.indices.dropFirst().allSatisfy({ keys[$0 - 1] <= keys[$0] }) { return }
    // 256 bits for a key to sort: a word of the bitmap is read in less time than a comparison costs.
    let span = try KeySet.span(of: table)
    guard span.isDense, span.capacity <= UInt64(keys.count) * 256 else {
      keys.sort()
      return
    }
    let set = KeySet(span)
    for key in keys { set.insert(key) }
    keys.removeAll(keepingCapacity: true)
    set.forEach { keys.append($0) }
  }

  /// Leaves one of equal neighbours.
  static func removeDuplicates(_ keys: inout [UInt64]) {
    var kept = 0
    for index in keys.indices where kept == 0 || keys[kept - 1] != keys[index] {
      keys[kept] = keys[index]
      kept += 1
    }
    keys.removeLast(keys.count - kept)
  }

  /// What both ascending lists hold.
  static func intersection(_ a: [UInt64], _ b: [UInt64]) -> [UInt64] {
    var result: [UInt64] = []
    var i = 0
    var j = 0
    while i < a.count, j < b.count {
      if a[i] == b[j] {
        result.append(a[i])
        i += 1
        j += 1
      } else if a[i] < b[j] {
        i += 1
      } else {
        j += 1
      }
    }
    return result
  }
}
