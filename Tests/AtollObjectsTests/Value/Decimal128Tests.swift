import AtollObjects
import TestSupport
import TestThreads
import Testing

@Suite(.computing) struct Decimal128Tests {
  private func decimal(_ text: some StringProtocol) throws -> Decimal128 {
    try #require(Decimal128(String(text)))
  }

  private func rows(_ table: String) -> [[Substring]] {
    table.split(separator: "\n").map { $0.split(separator: " ") }
  }

  private func hexadecimal(_ value: Decimal128) -> String {
    [value.bitPattern.high, value.bitPattern.low].map { half in
      let digits = String(half, radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }

  // MARK: Against an independent implementation

  @Test func arithmeticMatchesTheReference() throws {
    let table = rows(DecimalVectors.arithmetic)
    try #require(table.count > 200)
    for row in table {
      let a = try decimal(row[0])
      let b = try decimal(row[2])
      let result =
        switch row[1] {
        case "+": a + b
        case "-": a - b
        case "*": a * b
        default: a / b
        }
      #expect(result.description == row[4], "\(row.joined(separator: " "))")
    }
  }

  @Test func parsingAndPrintingMatchTheReference() throws {
    for row in rows(DecimalVectors.parsing) {
      let value = try decimal(row[0])
      #expect(value.description == row[2], "\(row[0])")
      #expect(hexadecimal(value) == row[3], "\(row[0])")
    }
  }

  @Test func conversionsFromBinaryMatchTheReference() throws {
    for row in rows(DecimalVectors.fromDouble) {
      let bits = try #require(UInt64(row[0], radix: 16))
      #expect(Decimal128(Double(bitPattern: bits)).description == row[1], "\(row[0])")
    }
    for row in rows(DecimalVectors.fromFloat) {
      let bits = try #require(UInt32(row[0], radix: 16))
      #expect(Decimal128(Float(bitPattern: bits)).description == row[1], "\(row[0])")
    }
  }

  @Test func conversionToDoubleMatchesTheReference() throws {
    for row in rows(DecimalVectors.toDouble) {
      let bits = try #require(UInt64(row[1], radix: 16))
      #expect(try decimal(row[0]).doubleValue.bitPattern == bits, "\(row[0])")
    }
  }

  @Test func comparisonWithDoublesMatchesTheReference() throws {
    for row in rows(DecimalVectors.comparison) {
      let bits = try #require(UInt64(row[2], radix: 16))
      let expected: Ordering = row[1] == "<" ? .less : (row[1] == "=" ? .equal : .greater)
      let order = Decimal128.order(try decimal(row[0]), Double(bitPattern: bits))
      #expect(order == expected, "\(row.joined(separator: " "))")
    }
  }

  // MARK: Text

  @Test(arguments: [
    "", "+", "-", ".", "e5", ".e5", "1e", "1e+", "1e+-5", "1.2.3", "1..", " 1", "1 ", "0x10", "1_0",
    "infinit", "in", "nan1", "snan", "--1", "1e5.0", "١", "inf\u{301}", "1,5",
  ])
  func textThatIsNoNumberIsRefused(text: String) {
    #expect(Decimal128(text) == nil)
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func descriptionsReadBackBitForBit(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    for _ in 0..<100 {
      let value = Decimal128(low: random.next(), high: random.next())
      let copy = try decimal(value.description)
      #expect(copy.description == value.description)
      #expect(copy == value || (copy.isNaN && value.isNaN))
    }
  }

  // MARK: Bit patterns

  @Test(
    arguments: [
      // 10^34 - 1 is the largest coefficient; 10^34 reads as zero.
      (0x3041_ED09_BEAD_87C0, 0x378D_8E63_FFFF_FFFF, "9999999999999999999999999999999999"),
      (0x3041_ED09_BEAD_87C0, 0x378D_8E64_0000_0000, "0"),
      (0xB041_FFFF_FFFF_FFFF, 0xFFFF_FFFF_FFFF_FFFF, "-0"),
      // The long form: always beyond 34 digits. Its exponent counts.
      (0x6C10_0000_0000_0000, 0x0000_0000_0000_0001, "0"),
      (0x6C0F_8000_0000_0000, 0x0000_0000_0000_0001, "0.0"),
      (0x7800_0000_0000_0000, 0x0000_0000_0000_0000, "Infinity"),
      (0xF8FF_FFFF_FFFF_FFFF, 0xFFFF_FFFF_FFFF_FFFF, "-Infinity"),
      (0x7C00_0000_0000_0000, 0x0000_0000_0000_0000, "NaN"),
      (0xFE00_0000_0000_0001, 0x0000_0000_0000_0001, "NaN"),
      (0x0000_0000_0000_0000, 0x0000_0000_0000_0001, "1E-6176"),
    ] as [(UInt64, UInt64, String)])
  func everyBitPatternHasAMeaning(high: UInt64, low: UInt64, description: String) {
    let value = Decimal128(low: low, high: high)
    #expect(value.description == description)
    #expect(value.bitPattern == (low, high))
  }

  @Test func nonCanonicalZerosActAsZero() {
    let strange = Decimal128(low: 1, high: 0x6C10_0000_0000_0000)
    #expect(strange == 0 && strange.isZero && strange.hashValue == Decimal128.zero.hashValue)
    #expect((strange + 5).description == "5")
    #expect(Decimal128.order(strange, 0.0) == .equal)
  }

  // MARK: Equality, order, hash

  @Test(arguments: [
    ["0", "-0", "0.000", "0E+50", "0E-6176"], ["1", "1.0", "1.00", "10E-1"],
    ["1E+6144", "1.000E+6144"], ["-120", "-1.2E+2"],
  ])
  func equalValuesAreEqualAndHashAlike(texts: [String]) throws {
    let values = try texts.map(decimal)
    for value in values {
      #expect(value == values[0] && !(value < values[0]))
    }
    #expect(Set(values).count == 1)
  }

  @Test func valuesAscend() throws {
    let texts = [
      "-inf", "-1E+6144", "-2", "-1.5", "-1E-6176", "0", "1E-6176", "0.9", "0.95", "1", "1.1", "9",
      "10", "123456789012345678901234567890123.4", "1E+6144", "inf",
    ]
    let values = try texts.map(decimal)
    for (index, a) in values.enumerated() {
      for (otherIndex, b) in values.enumerated() {
        #expect((a < b) == (index < otherIndex), "\(a) < \(b)")
        #expect((a == b) == (index == otherIndex), "\(a) == \(b)")
      }
    }
  }

  @Test func nanEqualsNothing() {
    let nan = Decimal128.nan
    #expect(nan != nan && !(nan < 1) && !(nan > 1) && nan != 1)
    #expect(Decimal128.order(nan, 1.0) == nil && Decimal128.order(1, Double.nan) == nil)
  }

  @Test(arguments: [Int64.min, -1, 0, 1, .max])
  func integersConvertAndCompareExactly(integer: Int64) throws {
    let value = Decimal128(integer)
    #expect(value.description == "\(integer)")
    #expect(Decimal128.order(value, integer) == .equal)
    let aBitMore = value + (try decimal("1E-10"))
    #expect(Decimal128.order(aBitMore, integer) == .greater)
  }

  @Test func unsignedIntegersConvertExactly() {
    #expect(Decimal128(UInt64.max).description == "18446744073709551615")
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func additionAndMultiplicationCommuteAndDivisionUndoesMultiplication(seed: UInt64) {
    var random = RandomSingleValues(seed: seed)
    for _ in 0..<100 {
      let a = random.decimal()
      let b = random.decimal()
      #expect((a + b).description == (b + a).description)
      #expect((a * b).description == (b * a).description)
      let short = Decimal128(Int64.random(in: 1...999_999, using: &random.random))
      let factor = Decimal128(Int64.random(in: 1...999_999, using: &random.random))
      #expect(short * factor / factor == short)
    }
  }
}
