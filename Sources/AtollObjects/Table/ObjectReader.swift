internal import AtollStorage

/// Reads chosen properties of one object after the other, typed and without making values.
///
/// For hot loops: select an object by its key, or walk all of them with `next()`,
/// then read by the position of the property in `columns`. A property is looked
/// up once for each leaf, not for each object. The first objects selected by key
/// cost a descent of the tree each; then the reader has a list of the leaves and
/// keeps those it visits open, up to some megabytes, so that another costs a
/// search in memory. A property costs a few nanoseconds.
///
/// Belongs to one thread; holds its snapshot. One of a transaction opens no leaf after the end.
@safe
public final class ObjectReader {
  private let table: Table
  /// The properties that can be read, each by its position here.
  public let columns: [Column]
  private let isKeyedByPrimaryKey: Bool
  private let columnCount: Int
  let directory: LeafDirectory
  private var cursor: TreeCursor

  // SAFETY: the run-time checks of exclusive access are left out: one thread uses a reader, and no
  // access to these calls back.
  /// Whether an object was selected by its key, so that the cursor stands somewhere else.
  @exclusivity(unchecked) private var isCursorElsewhere = false
  /// The leaf of the selected object, held by `ownLeaf` or the directory; nil before the first.
  @exclusivity(unchecked) private var leaf: Unmanaged<OpenLeaf>?
  /// The columns of that leaf.
  @exclusivity(unchecked) private var open: UnsafeMutablePointer<OpenColumn>?
  @exclusivity(unchecked) private var row = 0
  @exclusivity(unchecked) private var rowCount = 0
  /// Holds a leaf that the directory may not.
  private var ownLeaf: OpenLeaf?

  /// A reader that stands before the first object.
  public convenience init(_ table: Table, columns: [Column]) {
    self.init(table, columns: columns, limits: LeafDirectory.Limits())
  }

  init(_ table: Table, columns: [Column], limits: LeafDirectory.Limits) {
    self.table = table
    self.columns = columns
    columnCount = columns.count
    isKeyedByPrimaryKey = table.schema.isKeyedByPrimaryKey
    directory = LeafDirectory(columnCount: columns.count, limits: limits)
    cursor = table.tree.cursor()
  }

  /// The key of the selected object.
  public var key: ObjectKey { ObjectKey(rawValue: selectedLeaf.rowGroup.key(unsafe row)) }

  // MARK: Selecting

  /// Selects the next object in the order of keys; false after the last.
  public func next() throws(ObjectError) -> Bool {
    if unsafe row &+ 1 < rowCount {
      unsafe row &+= 1
      return true
    }
    return try openNext()
  }

  @inline(never)
  private func openNext() throws(ObjectError) -> Bool {
    do throws(StorageError) {
      if unsafe isCursorElsewhere {
        unsafe isCursorElsewhere = false
        let rowGroup = selectedLeaf.rowGroup
        cursor = table.tree.cursor(from: TreeKey(rowGroup.key(rowGroup.rowCount - 1)))
        _ = try cursor.next()
      }
      while let entry = try cursor.next() {
        let rowGroup = try table.keptRowGroup(table.tree.leafPage(entry.reference))
        guard rowGroup.rowCount > 0 else { continue }
        let opened = OpenLeaf(rowGroup, at: entry.reference, columnCount: columnCount)
        ownLeaf = opened
        unsafe select(0, Unmanaged.passUnretained(opened))
        return true
      }
      return false
    } catch { throw .storage(error) }
  }

  /// Selects the object with this key; false when there is none.
  public func select(_ key: ObjectKey) throws(ObjectError) -> Bool {
    let number = directory.number(of: key.rawValue)
    if let number, let leaf = unsafe directory.openLeaf(number) {
      // SAFETY: the directory holds the leaf.
      let row = unsafe leaf._withUnsafeGuaranteedRef { $0.row(ofKey: key.rawValue) }
      guard row >= 0 else { return false }
      unsafe select(row, leaf)
      unsafe isCursorElsewhere = true
      return true
    }
    do throws(StorageError) { return try selectUnopened(key.rawValue, number) } catch {
      throw .storage(error)
    }
  }

  @inline(never)
  private func selectUnopened(_ key: UInt64, _ known: Int?) throws(StorageError) -> Bool {
    // The directory may let go of the leaf that is read now.
    // SAFETY: it is held by one of the two.
    ownLeaf = unsafe leaf?.takeUnretainedValue()
    directory.closeAllIfTooMany()
    var number = known
    if number == nil {
      try directory.noteDescent(in: table.tree)
      number = directory.number(of: key)
    }
    let page: Page
    if let number {
      page = try table.tree.leafPage(directory.reference(number))
    } else {
      guard let found = try table.tree.leafPage(for: TreeKey(key)) else { return false }
      page = found
    }
    let opened: OpenLeaf
    if let ownLeaf, ownLeaf.reference == page.reference {
      opened = ownLeaf
    } else {
      opened = OpenLeaf(try table.keptRowGroup(page), at: page.reference, columnCount: columnCount)
    }
    if let number { directory.keep(opened, number: number) }
    let row = opened.row(ofKey: key)
    guard row >= 0 else { return false }
    ownLeaf = opened
    unsafe select(row, Unmanaged.passUnretained(opened))
    unsafe isCursorElsewhere = true
    return true
  }

  /// Selects the object with this integer as its primary key; false when there is none.
  public func select(primaryKey: Int64) throws(ObjectError) -> Bool {
    if isKeyedByPrimaryKey {
      return try select(ObjectKey(integerPrimaryKey: primaryKey))
    }
    guard let key = try table.key(primaryKey: .int(primaryKey)) else { return false }
    return try select(key)
  }

  @inline(__always)
  private func select(_ row: Int, _ leaf: Unmanaged<OpenLeaf>) {
    unsafe self.leaf = leaf
    // SAFETY: the leaf is held as long as it is the selected one.
    unsafe open = leaf._withUnsafeGuaranteedRef { unsafe $0.columns }
    unsafe rowCount = leaf._withUnsafeGuaranteedRef { $0.rowCount }
    unsafe self.row = row
  }

  private var selectedLeaf: OpenLeaf {
    // SAFETY: as above.
    guard let leaf = unsafe leaf?.takeUnretainedValue() else {
      preconditionFailure("an object is selected before it is read")
    }
    return leaf
  }

  // MARK: Values of the selected object

  /// An int, or nil for null.
  ///
  /// For a property of another type: `.typeMismatch`.
  public func int(_ index: Int) throws(ObjectError) -> Int64? {
    let column = try unsafe column(index, .int)
    // SAFETY: the leaf at hand has the column and the row.
    if unsafe column.pointee.hasNulls, unsafe !column.pointee.validity[row] { return nil }
    return unsafe column.pointee.values[row]
  }

  /// A double, or nil for null.
  public func double(_ index: Int) throws(ObjectError) -> Double? {
    let column = try unsafe column(index, .double)
    // SAFETY: as above.
    if unsafe column.pointee.hasNulls, unsafe !column.pointee.validity[row] { return nil }
    let bits = unsafe UInt64(bitPattern: column.pointee.values[row])
    return Double(bitPattern: UInt64(littleEndian: bits))
  }

  /// A bool, or nil for null.
  public func bool(_ index: Int) throws(ObjectError) -> Bool? {
    let column = try unsafe column(index, .bool)
    // SAFETY: as above.
    if unsafe column.pointee.hasNulls, unsafe !column.pointee.validity[row] { return nil }
    return unsafe column.pointee.bits[row]
  }

  /// The number of UTF-8 bytes of a string, without a look at the bytes; nil for null.
  public func utf8Count(_ index: Int) throws(ObjectError) -> Int? {
    let column = try unsafe column(index, .string)
    // SAFETY: as above.
    if unsafe column.pointee.hasNulls, unsafe !column.pointee.validity[row] { return nil }
    let byteCount = unsafe column.pointee.byteCount(row)
    // A string that is empty here may lie outside the leaf.
    return byteCount > 0 ? byteCount : try view(index).values.byteCount(unsafe row)
  }

  /// A string, or nil for null.
  public func string(_ index: Int) throws(ObjectError) -> String? {
    let column = try unsafe column(index, .string)
    // SAFETY: as above.
    if unsafe column.pointee.hasNulls, unsafe !column.pointee.validity[row] { return nil }
    guard let bytes = unsafe column.pointee.bytes(row) else { return try unopenedString(index) }
    do throws(ColumnError) { return try unsafe ScalarCoding.string(bytes) } catch {
      throw damage(error, columns[index])
    }
  }

  /// The error of a value that cannot be decoded.
  @inline(never)
  private func damage(_ error: ColumnError, _ column: Column) -> ObjectError {
    ObjectError(
      error.at(selectedLeaf.rowGroup.block, .column(column.id)), className: table.name,
      property: column.name)
  }

  @inline(never)
  private func unopenedString(_ index: Int) throws(ObjectError) -> String? {
    let column = columns[index]
    do {
      if unsafe open?[index].offsets == nil {
        directory.addKept(byteCount: try selectedLeaf.openText(index, column))
      }
    } catch {
      throw ObjectError(any: error, className: table.name, property: column.name)
    }
    return try value(index).string
  }

  /// The value of a property of any type.
  public func value(_ index: Int) throws(ObjectError) -> Value {
    do { return try view(index).value(unsafe row) } catch {
      throw ObjectError(any: error, className: table.name, property: columns[index].name)
    }
  }

  /// The number of elements of a collection, without a look at them.
  package func elementCount(_ index: Int) throws(ObjectError) -> Int {
    do { return try view(index).countElements(unsafe row) } catch {
      throw ObjectError(any: error, className: table.name, property: columns[index].name)
    }
  }

  /// A member of a set, or the value of a key of a map, which is a string; nil when it is not there.
  package func part(_ index: Int, _ part: Value) throws(ObjectError) -> Value? {
    do { return try view(index).part(unsafe row, part) } catch {
      throw ObjectError(any: error, className: table.name, property: columns[index].name)
    }
  }

  /// The elements of a range of a collection, which is inside of it.
  package func elements(_ index: Int, _ range: Range<Int>) throws(ObjectError) -> [Value] {
    do { return try view(index).elements(unsafe row, range) } catch {
      throw ObjectError(any: error, className: table.name, property: columns[index].name)
    }
  }

  /// The column of this form in the leaf at hand.
  @inline(__always)
  private func column(_ index: Int, _ form: OpenColumn.Form) throws(ObjectError)
    -> UnsafeMutablePointer<OpenColumn>
  {
    precondition(UInt(bitPattern: index) < UInt(bitPattern: columnCount), "a column of the reader")
    guard let open = unsafe open else {
      preconditionFailure("an object is selected before it is read")
    }
    // SAFETY: the leaf is held as long as it is selected, and has a place for each column.
    let column = unsafe open + index
    if unsafe column.pointee.form != form { try openColumn(index, form) }
    return unsafe column
  }

  @inline(never)
  private func openColumn(_ index: Int, _ form: OpenColumn.Form) throws(ObjectError) {
    let column = columns[index]
    let leaf = selectedLeaf
    do throws(ColumnError) {
      if leaf.form(index) == .unopened {
        directory.addKept(byteCount: try leaf.open(index, column))
      }
    } catch {
      throw ObjectError(error, className: table.name, property: column.name)
    }
    guard leaf.form(index) == form else {
      throw .typeMismatch(
        className: table.name, property: column.name, expected: column.layout.description,
        found: form.queryName)
    }
  }

  private func view(_ index: Int) throws(ObjectError) -> ColumnView {
    let column = columns[index]
    do throws(ColumnError) { return try selectedLeaf.view(index, column) } catch {
      throw ObjectError(error, className: table.name, property: column.name)
    }
  }
}
