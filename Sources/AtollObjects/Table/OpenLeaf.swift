internal import AtollStorage

/// A plain column of a leaf, found once so that reading a value is a load and a few instructions.
///
/// Plain data that points into the leaf: no count of references goes with a read.
@safe
struct OpenColumn {
  /// Which of the readers' calls the column answers.
  enum Form: UInt8 {
    /// Not looked for yet.
    case unopened
    case int, double, bool, string
    /// A collection, or of a type that is read as a `Value`.
    case other

    init(_ type: ValueType?) {
      self =
        switch type {
        case .int: .int
        case .double: .double
        case .bool: .bool
        case .string: .string
        default: .other
        }
    }

    /// The name of the type that a call of this form asks for.
    var queryName: String {
      switch self {
      case .int: ValueType.int.queryName
      case .double: ValueType.double.queryName
      case .bool: ValueType.bool.queryName
      case .string: ValueType.string.queryName
      case .unopened, .other: ""
      }
    }
  }

  var form = Form.unopened
  /// Whether `validity` is to be looked at.
  var hasNulls = false
  /// Strings: whether `values` has the number of a row's entry.
  var isDictionary = false
  var validity = PointBits(repeating: true)
  /// Bools.
  var bits = PointBits(repeating: false)
  /// Integers, the bit patterns of doubles, or the codes of strings.
  var values = PointInts(repeating: 0)
  /// Strings: the bytes of each entry.
  var lengths = PointInts(repeating: 0)
  var entryCount: UInt64 = 0
  /// Strings: the bytes of all entries, which none can exceed.
  var byteCount: UInt64 = 0
  /// Strings: where each entry starts in `text`, and the end of the last; nil until many are read.
  var offsets: UnsafePointer<UInt32>?
  /// Strings: the bytes of all entries one after the other.
  var text: UnsafeRawPointer?
  /// Strings: whether one was read here.
  var isVisited = false

  /// The bytes of a string; nil where they are not at hand: unopened, damaged, maybe outside of the
  /// leaf.
  @inline(__always)
  func bytes(_ row: Int) -> UnsafeRawBufferPointer? {
    guard let offsets = unsafe offsets, let text = unsafe text else { return nil }
    var entry = row
    if isDictionary {
      let code = UInt64(bitPattern: values[row])
      guard code < entryCount else { return nil }
      entry = Int(truncatingIfNeeded: code)
    }
    // SAFETY: `offsets` has an offset for each entry, and the end; they ascend inside of the text.
    let start = unsafe Int(offsets[entry])
    let end = unsafe Int(offsets[entry &+ 1])
    // What lies outside of the leaf is empty here.
    guard start < end else { return nil }
    return unsafe UnsafeRawBufferPointer(start: text + start, count: end &- start)
  }

  /// The number of bytes of a string; 0 also where it lies outside of the leaf.
  @inline(__always)
  func byteCount(_ row: Int) -> Int {
    var entry = row
    if isDictionary {
      let code = UInt64(bitPattern: values[row])
      guard code < entryCount else { return 0 }
      entry = Int(truncatingIfNeeded: code)
    }
    return Int(truncatingIfNeeded: min(UInt64(bitPattern: lengths[entry]), byteCount))
  }
}

/// A leaf that a reader selects objects in, with the columns it has read there.
///
/// Belongs to one reader and its thread.
@safe
final class OpenLeaf {
  let reference: PageReference
  let rowGroup: RowGroupPage
  let rowCount: Int
  /// Whether each key is one more than the key before.
  private let isConsecutive: Bool
  /// The first key of such a leaf.
  private let firstKey: UInt64
  private let columnCount: Int
  /// One for each column of the reader.
  let columns: UnsafeMutablePointer<OpenColumn>
  /// Whole views, for what `columns` cannot tell; empty until the first.
  private var views: [ColumnView?] = []
  /// Decompressed values that `columns` points into.
  private var owners: [DecodedBytes] = []

  init(_ rowGroup: RowGroupPage, at reference: PageReference, columnCount: Int) {
    self.reference = reference
    self.rowGroup = rowGroup
    rowCount = rowGroup.rowCount
    isConsecutive = rowGroup.rowCount > 0 && rowGroup.keys.stride == 1
    firstKey = isConsecutive ? rowGroup.key(0) : 0
    self.columnCount = columnCount
    unsafe columns = .allocate(capacity: max(columnCount, 1))
    unsafe columns.initialize(repeating: OpenColumn(), count: columnCount)
  }

  deinit {
    unsafe columns.deinitialize(count: columnCount)
    unsafe columns.deallocate()
  }

  /// The row of the object `key`; -1 when it is not here.
  @inline(__always)
  func row(ofKey key: UInt64) -> Int {
    if isConsecutive {
      // The keys do not wrap, so only those of the leaf are less than `rowCount` away.
      let distance = key &- firstKey
      return distance < UInt64(rowCount) ? Int(truncatingIfNeeded: distance) : -1
    }
    return rowGroup.row(ofKey: key) ?? -1
  }

  /// What is known of a column.
  func form(_ index: Int) -> OpenColumn.Form {
    precondition(index >= 0 && index < columnCount, "a column of the reader")
    // SAFETY: in bounds (above).
    return unsafe columns[index].form
  }

  /// Opens a plain column; returns the bytes of memory that its values keep.
  func open(_ index: Int, _ column: Column) throws(ColumnError) -> Int {
    precondition(index >= 0 && index < columnCount, "a column of the reader")
    let layout = column.layout
    var found = OpenColumn()
    found.form = .init(layout.collection == .none ? layout.value : nil)
    var isThere = true
    var keptByteCount = 0
    switch found.form {
    case .int:
      if let ints = try rowGroup.ints(column.id) {
        found.values = PointInts(ints)
      } else {
        isThere = false
      }
    case .double:
      if let fixed = try rowGroup.fixed(column.id, width: 8) {
        found.values = PointInts(fixed)
        if let owner = fixed.owner {
          owners.append(owner)
          keptByteCount = owner.memoryByteCount
        }
      } else {
        isThere = false
      }
    case .bool:
      if let bits = try rowGroup.bits(column.id) {
        found.bits = PointBits(bits)
      } else {
        isThere = false
      }
    case .string:
      if let bytes = try rowGroup.bytes(column.id) {
        if let codes = bytes.codes {
          found.isDictionary = true
          found.values = PointInts(codes)
        }
        found.lengths = PointInts(bytes.lengths)
        found.entryCount = UInt64(bytes.entryCount)
        found.byteCount = UInt64(bytes.byteCount)
      } else {
        isThere = false
      }
    case .other, .unopened: break
    }
    if layout.allowsNull {
      if !isThere {
        // A column that is not there is null in all rows.
        found.hasNulls = true
        found.validity = PointBits(repeating: false)
      } else if let validity = try rowGroup.bits(column.id, .validity) {
        found.hasNulls = true
        found.validity = PointBits(validity)
      }
    }
    // SAFETY: in bounds (above).
    unsafe columns[index] = found
    return keptByteCount
  }

  /// Decodes all strings of a column, when a second one is read: a reader that visits a leaf for
  /// one string takes it from where it lies.
  ///
  /// - Returns: the bytes of memory that the decoded form keeps.
  func openText(_ index: Int, _ column: Column) throws(ColumnError) -> Int {
    precondition(form(index) == .string, "an open column of strings")
    // SAFETY: in bounds (above).
    guard unsafe columns[index].isVisited else {
      unsafe columns[index].isVisited = true
      return 0
    }
    guard let bytes = try rowGroup.bytes(column.id), bytes.byteCount > 0 else { return 0 }
    let view = try bytes.open()
    owners.append(view.decoded)
    unsafe columns[index].offsets = view.offsets
    unsafe columns[index].text = view.bytes
    return view.decoded.memoryByteCount
  }

  /// The whole view of a column.
  func view(_ index: Int, _ column: Column) throws(ColumnError) -> ColumnView {
    if views.isEmpty { views = Array(repeating: nil, count: columnCount) }
    if let view = views[index] { return view }
    let view = try rowGroup.column(column.id, column.layout)
    views[index] = view
    return view
  }
}
