/// A tree as the catalogue names it.
package struct FormatTree: Equatable, Sendable {
  package var treeID: Int
  package var root: FormatRoot

  package init(treeID: Int, root: FormatRoot) {
    self.treeID = treeID
    self.root = root
  }
}

/// An index as the catalogue names it: its main tree, and its delta if there is one.
package struct FormatIndex: Equatable, Sendable {
  package var treeID: Int
  package var root: FormatRoot
  package var delta: Delta?

  package struct Delta: Equatable, Sendable {
    package var added: FormatRoot
    package var removed: FormatRoot
    package var position: [UInt8]
  }

  init(_ reader: inout FormatReader, _ name: String) throws {
    treeID = Int(try reader.varint("\(name).treeID"))
    root = try reader.root(name)
    switch try reader.number(1, "\(name).hasDelta") {
    case 0: return
    case 1:
      let added = try reader.root("\(name).added")
      let removed = try reader.root("\(name).removed")
      let byteCount = Int(try reader.varint("\(name).position, byteCount"))
      delta = Delta(
        added: added, removed: removed, position: try reader.raw(byteCount, "\(name).position"))
    default: throw FormatError("an unknown mark of a delta")
    }
  }
}

/// The record of one class in the catalogue, decoded by Format.md, section 5.
package struct FormatClass {
  package struct Property {
    package var id: Int
    package var name: String
    package var type: Int
    package var collection: Int
    package var isOptional: Bool
    package var linkTarget: Int
    package var index: FormatIndex?
    package var backlinks: FormatIndex?
    package var fullText: FormatIndex?
    /// Bit 0 cascade, bit 1 deny.
    package var deletionRule: Int
  }

  /// An index of several columns, or a unique one.
  package struct JointIndex {
    package var isUnique: Bool
    package var columns: [Int]
    package var index: FormatIndex
  }

  package var name: String
  /// Bit 0 embedded, bit 1 hidden, bit 2 synced, bit 3 asymmetric, bit 4 has joint indexes.
  package var flags: Int
  package var nextKey: Int
  package var nextColumnID: Int
  package var primaryKeyColumn: Int
  package var rows: FormatTree
  package var properties: [Property] = []
  package var jointIndexes: [JointIndex] = []
  package var fields: [FormatField]

  package init(_ value: [UInt8]) throws {
    var reader = FormatReader(value)
    name = try Self.text(&reader, "name")
    flags = try reader.count(1, "flags")
    guard flags <= 31 else { throw FormatError("unknown flags of a class") }
    nextKey = try reader.count(8, "nextKey")
    nextColumnID = Int(try reader.varint("nextColumnID"))
    primaryKeyColumn = Int(try reader.varint("primaryKeyColumn"))
    rows = try Self.tree(&reader, "rows")
    for _ in 0..<(try reader.varint("columns, count")) {
      let id = Int(try reader.varint("id"))
      let name = try Self.text(&reader, "name")
      let type = try reader.count(1, "type")
      let collection = try reader.count(1, "collection")
      let flags = try reader.number(1, "flags")
      guard flags < 48 else { throw FormatError("unknown flags of a column") }
      let target = Int(try reader.varint("linkTarget"))
      properties.append(
        Property(
          id: id, name: name, type: type, collection: collection, isOptional: flags & 1 != 0,
          linkTarget: target, index: flags & 2 != 0 ? try FormatIndex(&reader, "index") : nil,
          backlinks: flags & 4 != 0 ? try FormatIndex(&reader, "backlinks") : nil,
          fullText: flags & 8 != 0 ? try FormatIndex(&reader, "fullText") : nil,
          deletionRule: Int(flags >> 4)))
    }
    for _ in 0..<(flags & 16 != 0 ? try reader.varint("indexes, count") : 0) {
      let flag = try reader.number(1, "flags")
      guard flag <= 1 else { throw FormatError("unknown flags of an index") }
      let columns = try (0..<(try reader.varint("columns, count"))).map { _ in
        Int(try reader.varint("column"))
      }
      jointIndexes.append(
        JointIndex(
          isUnique: flag == 1, columns: columns, index: try FormatIndex(&reader, "index")))
    }
    guard reader.isAtEnd else { throw FormatError("bytes are left in a class's record") }
    fields = reader.fields
  }

  private static func text(_ reader: inout FormatReader, _ name: String) throws -> String {
    let byteCount = Int(try reader.varint("\(name), byteCount"))
    return String(decoding: try reader.raw(byteCount, name, printable), as: UTF8.self)
  }

  private static func tree(_ reader: inout FormatReader, _ name: String) throws -> FormatTree {
    try FormatTree(&reader, name)
  }
}

extension FormatTree {
  init(_ reader: inout FormatReader, _ name: String) throws {
    treeID = Int(try reader.varint("\(name).treeID"))
    root = try reader.root(name)
  }

  /// The tree that a value of the catalogue under the key `t` and a name describes.
  package init(named value: [UInt8]) throws {
    var reader = FormatReader(value)
    try self.init(&reader, "tree")
    guard reader.isAtEnd else { throw FormatError("bytes are left in a tree's record") }
  }
}
