internal import AtollStorage

/// An internal tree of one version, for reading; see `NamedTree`.
///
/// Keeps its snapshot.
package struct NamedTreeView: Sendable {
  package let name: String
  private let tree: KeyValueTree
  private let source: Snapshot

  init(name: String, record: ClassRecord.TreeRecord, source: Snapshot) {
    self.name = name
    self.source = source
    tree = KeyValueTree(
      root: record.root, treeID: record.treeID, reader: source.storage.reader)
  }

  package var count: Int { Int(clamping: tree.tree.root.entryCount) }

  package func get(_ key: [UInt8]) throws(ObjectError) -> [UInt8]? {
    do throws(StorageError) { return try tree.value(for: key) } catch { throw .storage(error) }
  }

  /// Visits the entries whose keys begin with `prefix`, in order.
  package func forEach(
    prefix: [UInt8] = [],
    _ body: (_ key: [UInt8], _ value: [UInt8]) throws(ObjectError) -> Void
  ) throws(ObjectError) {
    do { try tree.forEach(prefix: prefix, body) } catch { throw ObjectError(any: error) }
  }

  /// Visits the entries from `start` on whose keys begin with `prefix`, in order, until `body` says
  /// false.
  package func visit(
    prefix: [UInt8] = [], from start: [UInt8] = [],
    _ body: (_ key: [UInt8], _ value: [UInt8]) throws(ObjectError) -> Bool
  ) throws(ObjectError) {
    do { try tree.visit(prefix: prefix, from: start, body) } catch {
      throw ObjectError(any: error)
    }
  }

  /// The entry with the smallest key that is not below `key`.
  package func first(atOrAfter key: [UInt8]) throws(ObjectError)
    -> (key: [UInt8], value: [UInt8])?
  {
    do throws(StorageError) { return try tree.first(atOrAfter: key) } catch {
      throw .storage(error)
    }
  }

  /// The entry with the greatest key below `key`.
  package func last(before key: [UInt8]) throws(ObjectError) -> (key: [UInt8], value: [UInt8])? {
    do throws(StorageError) { return try tree.last(before: key) } catch { throw .storage(error) }
  }
}

extension Snapshot {
  /// The internal tree called `name`; nil when this version has none.
  package func namedTree(_ name: String) -> NamedTreeView? {
    catalogue.namedTrees[name].map { NamedTreeView(name: name, record: $0, source: self) }
  }

  /// The names of the internal trees, in order.
  package var namedTreeNames: [String] { catalogue.namedTrees.keys.sorted() }
}
