internal import AtollObjects

/// A predicate in the form that is quickest on the vectors of one type.
///
/// Built once for a run, then used leaf by leaf. Nulls are decided apart.
struct CompiledPredicate {
  enum Form {
    /// Integers, and links by the bit patterns of their keys.
    case ints(IntervalSet<Int64>)
    case bits(passesFalse: Bool, passesTrue: Bool)
    /// Nanoseconds since 1970.
    case dates(IntervalSet<Int128>)
    case doubles([(low: Double, high: Double)], isComplement: Bool)
    case floats([(low: Float, high: Float)], isComplement: Bool)
    case bytes(BytesPredicate)
    /// No vector form: value by value.
    case values
  }

  let predicate: ValuePredicate
  let form: Form
  /// Whether null passes.
  let passesNull: Bool
  /// The test of one value that is not null.
  private let matcher: ValueMatcher
  /// About how long the test of a long text or of long data takes for each of its bytes.
  let nanosecondsPerByte: Double

  /// Compiles the predicate for values of `layout`'s type.
  init(_ predicate: ValuePredicate, _ layout: ColumnLayout) {
    self.predicate = predicate
    nanosecondsPerByte = predicate.nanosecondsPerByte
    passesNull = predicate.matches(.null)
    switch layout.value {
    case .int:
      form = .ints(IntervalSet(predicate, in: .min ... .max) { .int($0) })
    case .bool:
      form = .bits(
        passesFalse: predicate.matches(.bool(false)), passesTrue: predicate.matches(.bool(true)))
    case .link:
      form = Self.links(predicate, layout.linkTable)
    case .date:
      form = .dates(
        IntervalSet(predicate, in: DateCode.domain) { .date(DateCode.timestamp($0)) })
    case .double:
      let set = IntervalSet(predicate, in: FloatCode.doubles) { .double(FloatCode.double($0)) }
      // NaN is in no range: where it passes, the others are taken and turned round.
      let isComplement = predicate.matches(.double(.nan))
      let ranges = isComplement ? set.complement(in: FloatCode.doubles).ranges : set.ranges
      form = .doubles(
        ranges.map { (FloatCode.double($0.lowerBound), FloatCode.double($0.upperBound)) },
        isComplement: isComplement)
    case .float:
      let set = IntervalSet(predicate, in: FloatCode.floats) { .float(FloatCode.float($0)) }
      let isComplement = predicate.matches(.float(.nan))
      let ranges = isComplement ? set.complement(in: FloatCode.floats).ranges : set.ranges
      form = .floats(
        ranges.map { (FloatCode.float($0.lowerBound), FloatCode.float($0.upperBound)) },
        isComplement: isComplement)
    case .string, .data: form = .bytes(BytesPredicate(predicate, layout.value))
    case .decimal, .objectID, .uuid, .mixed: form = .values
    }
    matcher =
      switch form {
      case .bytes(let bytes): .bytes(bytes, layout.value)
      case .values: ValueMatcher(predicate)
      default: .predicate(predicate)
      }
  }

  func matches(_ value: Value) -> Bool { value.isNull ? passesNull : matcher.matches(value) }

  /// Links are equal or not; the codes are the bit patterns of keys.
  private static func links(_ predicate: ValuePredicate, _ table: UInt32) -> Form {
    func set(_ predicate: ValuePredicate) -> IntervalSet<Int64> {
      switch predicate {
      case .compare(let comparator, let constant, _),
        .compareReversed(let comparator, let constant, _):
        guard comparator == .equal || comparator == .in || comparator == .notEqual else {
          return .empty
        }
        var equal = IntervalSet<Int64>.empty
        if case .link(let link) = constant, link.table == table {
          let code = Int64(bitPattern: link.key)
          equal = IntervalSet(code...code)
        }
        return comparator == .notEqual ? equal.complement(in: .min ... .max) : equal
      case .isIn(let list):
        return IntervalSet(
          list.values.compactMap { value -> ClosedRange<Int64>? in
            guard case .link(let link) = value, link.table == table else { return nil }
            return Int64(bitPattern: link.key)...Int64(bitPattern: link.key)
          })
      case .between: return .empty
      case .all(let terms):
        return IntervalSet(
          terms.flatMap { set($0).complement(in: .min ... .max).ranges }
        ).complement(in: .min ... .max)
      case .any(let terms): return IntervalSet(terms.flatMap { set($0).ranges })
      case .not(let inner): return set(inner).complement(in: .min ... .max)
      }
    }
    return .ints(set(predicate))
  }

  /// Whether there is a form for vectors.
  var isVectorised: Bool {
    if case .values = form { false } else { true }
  }

  /// Sets the bits of the entries of `values` that pass; entries in the external store have any.
  ///
  /// `active`: the entries whose outcome is asked for; others may get any.
  func select(
    _ values: ScalarView, active: Selection?, _ out: Selection, _ pool: SelectionPool
  ) throws {
    switch form {
    case .ints(let set):
      guard let ints = values.ints else { return out.fill(values.count, false) }
      IntScan.select(ints, set, out)
    case .bits(let passesFalse, let passesTrue):
      guard let bits = values.bits else { return out.fill(values.count, false) }
      Self.select(bits, passesFalse, passesTrue, out)
    case .dates(let set):
      guard let seconds = values.ints, let nanoseconds = values.nanoseconds else {
        return out.fill(values.count, false)
      }
      Self.select(seconds, nanoseconds, set, out)
    case .doubles(let ranges, let isComplement):
      guard let fixed = values.fixed else { return out.fill(values.count, false) }
      FloatScan.select(fixed, ranges, out)
      if isComplement { out.invert() }
    case .floats(let ranges, let isComplement):
      guard let fixed = values.fixed else { return out.fill(values.count, false) }
      FloatScan.select(fixed, ranges, out)
      if isComplement { out.invert() }
    case .bytes(let predicate):
      guard let bytes = values.bytes else { return out.fill(values.count, false) }
      try BytesScan.select(bytes, predicate, active: active, out, pool)
    case .values:
      preconditionFailure("there is a vector form")
    }
    if let validity = values.validity { out.setNulls(validity, passesNull) }
  }

  static func select(
    _ bits: BitVector, _ passesFalse: Bool, _ passesTrue: Bool, _ out: Selection
  ) {
    if passesFalse == passesTrue { return out.fill(bits.count, passesTrue) }
    out.resize(bits.count)
    for index in 0..<out.wordCount {
      let word = bits.word(index)
      // SAFETY: `resize` made room for `wordCount` words.
      unsafe out.words[index] = passesTrue ? word : ~word
    }
    if passesFalse { out.clearTail() }
  }

  static func select(
    _ seconds: IntVector, _ nanoseconds: IntVector, _ set: IntervalSet<Int128>, _ out: Selection
  ) {
    if nanoseconds.width == 0, nanoseconds.base == 0, nanoseconds.stride == 0 {
      // Whole seconds.
      IntScan.select(seconds, DateCode.wholeSeconds(set), out)
      return
    }
    out.fill(seconds.count, false)
    for row in 0..<seconds.count
    where set.contains(DateCode.code(seconds[row], nanoseconds[row])) {
      out[row] = true
    }
  }
}

/// Integers that order like moments: nanoseconds since 1970.
enum DateCode {
  private static let second: Int128 = 1_000_000_000
  static let domain =
    (Int128(Int64.min) * second - 999_999_999)...(Int128(Int64.max) * second + 999_999_999)

  static func code(_ seconds: Int64, _ nanoseconds: Int64) -> Int128 {
    Int128(seconds) * second + Int128(nanoseconds)
  }

  static func timestamp(_ code: Int128) -> Timestamp {
    let (seconds, nanoseconds) = code.quotientAndRemainder(dividingBy: second)
    guard
      let timestamp = Timestamp(
        seconds: Int64(clamping: seconds), nanoseconds: Int32(truncatingIfNeeded: nanoseconds))
    else { preconditionFailure("quotient and remainder have one sign") }
    return timestamp
  }

  /// The whole seconds in a set of moments.
  static func wholeSeconds(_ set: IntervalSet<Int128>) -> IntervalSet<Int64> {
    IntervalSet(
      set.ranges.compactMap { range -> ClosedRange<Int64>? in
        var low = range.lowerBound / second
        if low * second < range.lowerBound { low += 1 }
        var high = range.upperBound / second
        if high * second > range.upperBound { high -= 1 }
        return low <= high ? Int64(clamping: low)...Int64(clamping: high) : nil
      })
  }
}
