internal import AtollStorage

/// Reads chosen properties of one object after the other, typed and without making values.
///
/// For hot loops: select an object by its key, or walk all of them with `next()`,
/// then read by the position of the property in `columns`. A property is looked
/// up once for each leaf, not for each object. Costs a descent of the tree for a
/// selected object and a few nanoseconds for a property.
///
/// Belongs to one thread; holds its snapshot.
public final class ObjectReader {
  private let table: Table
  public let columns: [Column]
  private var cursor: TreeCursor
  /// Whether an object was selected by its key, so that the cursor stands somewhere else.
  private var isCursorElsewhere = false
  private var cluster: ClusterView?
  private var views: [ColumnView?]
  /// The vectors of the columns that were read in the cluster at hand: plain pointers into it, so
  /// that a property costs neither a copy of its view nor a count of references.
  private var vectors: [Vectors]
  /// The type of each plain column; nil for a collection.
  private let types: [ValueType?]
  private var row = 0

  private struct Vectors {
    var isOpen = false
    var validity: BitVector?
    var bits: BitVector?
    var ints: IntVector?
    var fixed: FixedVector?
    var bytes: BytesVector?
  }

  /// A reader that stands before the first object.
  public init(_ table: Table, columns: [Column]) {
    self.table = table
    self.columns = columns
    cursor = table.tree.cursor()
    views = Array(repeating: nil, count: columns.count)
    vectors = Array(repeating: Vectors(), count: columns.count)
    types = columns.map { $0.layout.collection == .none ? $0.layout.value : nil }
  }

  /// The key of the selected object.
  public var key: ObjectKey { ObjectKey(rawValue: selectedCluster.key(row)) }

  /// Selects the next object in the order of keys; false after the last.
  public func next() throws(ObjectError) -> Bool {
    if let cluster, row + 1 < cluster.rowCount {
      row += 1
      return true
    }
    do throws(StorageError) {
      if isCursorElsewhere, let cluster, cluster.rowCount > 0 {
        isCursorElsewhere = false
        cursor = table.tree.cursor(from: TreeKey(cluster.key(cluster.rowCount - 1)))
        _ = try cursor.next()
      }
      repeat {
        guard let entry = try cursor.next() else { return false }
        open(try table.cluster(entry.reference))
      } while selectedCluster.rowCount == 0
      row = 0
      return true
    } catch { throw .storage(error) }
  }

  /// Selects the object with this key; false when there is none.
  public func select(_ key: ObjectKey) throws(ObjectError) -> Bool {
    do throws(StorageError) {
      guard let page = try table.tree.leafPage(for: TreeKey(key.rawValue)) else { return false }
      let found = try table.cluster(page)
      guard let row = found.row(ofKey: key.rawValue) else { return false }
      open(found)
      self.row = row
      isCursorElsewhere = true
      return true
    } catch { throw .storage(error) }
  }

  /// Selects the object with this integer as its primary key; false when there is none.
  public func select(primaryKey: Int64) throws(ObjectError) -> Bool {
    if table.schema.isKeyedByPrimaryKey {
      return try select(ObjectKey(integerPrimaryKey: primaryKey))
    }
    guard let key = try table.key(primaryKey: .int(primaryKey)) else { return false }
    return try select(key)
  }

  private func open(_ cluster: ClusterView) {
    self.cluster = cluster
    for index in views.indices {
      views[index] = nil
      vectors[index].isOpen = false
    }
  }

  private var selectedCluster: ClusterView {
    guard let cluster else { preconditionFailure("an object is selected before it is read") }
    return cluster
  }

  // MARK: Values of the selected object

  /// An int, or nil for null.
  ///
  /// For a property of another type: `.typeMismatch`.
  public func int(_ index: Int) throws(ObjectError) -> Int64? {
    try open(index, .int)
    guard let ints = vectors[index].ints else { return absent(index, 0) }
    return isNull(index) ? nil : ints[row]
  }

  /// A double, or nil for null.
  public func double(_ index: Int) throws(ObjectError) -> Double? {
    try open(index, .double)
    guard let fixed = vectors[index].fixed else { return absent(index, 0) }
    if isNull(index) { return nil }
    return Double(bitPattern: UInt64(littleEndian: fixed.load(row, as: UInt64.self)))
  }

  /// A bool, or nil for null.
  public func bool(_ index: Int) throws(ObjectError) -> Bool? {
    try open(index, .bool)
    guard let bits = vectors[index].bits else { return absent(index, false) }
    return isNull(index) ? nil : bits[row]
  }

  /// The number of UTF-8 bytes of a string, without a look at the bytes; nil for null.
  public func utf8Count(_ index: Int) throws(ObjectError) -> Int? {
    try open(index, .string)
    guard let byteCount = vectors[index].bytes?.byteCount(row) else { return absent(index, 0) }
    if isNull(index) { return nil }
    // A string that is empty here may lie outside the leaf.
    return byteCount > 0 ? byteCount : try view(index).values.byteCount(row)
  }

  private func isNull(_ index: Int) -> Bool {
    guard let validity = vectors[index].validity else { return false }
    return !validity[row]
  }

  private func absent<Result>(_ index: Int, _ zero: Result) -> Result? {
    columns[index].layout.allowsNull ? nil : zero
  }

  /// The value of a property of any type.
  public func value(_ index: Int) throws(ObjectError) -> Value {
    do { return try view(index).value(row) } catch {
      throw ObjectError(any: error, block: 0, className: table.name, property: columns[index].name)
    }
  }

  /// Finds the vectors of a plain column of this type in the cluster at hand.
  @inline(__always)
  private func open(_ index: Int, _ type: ValueType) throws(ObjectError) {
    if !vectors[index].isOpen { try openVectors(index) }
    guard types[index] == type else {
      throw .typeMismatch(
        className: table.name, property: columns[index].name,
        expected: columns[index].layout.description, found: type.queryName)
    }
  }

  private func openVectors(_ index: Int) throws(ObjectError) {
    let column = columns[index]
    let cluster = selectedCluster
    var found = Vectors(isOpen: true)
    do throws(ColumnError) {
      switch types[index] {
      case .int: found.ints = try cluster.ints(column.id)
      case .double: found.fixed = try cluster.fixed(column.id, width: 8)
      case .bool: found.bits = try cluster.bits(column.id)
      case .string: found.bytes = try cluster.bytes(column.id)
      default: break
      }
      if column.layout.allowsNull { found.validity = try cluster.validity(column.id) }
    } catch {
      throw ObjectError(error, block: 0, className: table.name, property: column.name)
    }
    vectors[index] = found
  }

  private func view(_ index: Int) throws(ObjectError) -> ColumnView {
    if let view = views[index] { return view }
    let column = columns[index]
    do throws(ColumnError) {
      let view = try selectedCluster.column(column.id, column.layout)
      views[index] = view
      return view
    } catch {
      throw ObjectError(error, block: 0, className: table.name, property: column.name)
    }
  }
}
