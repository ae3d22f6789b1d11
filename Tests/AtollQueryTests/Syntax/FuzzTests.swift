import TestSupport
import TestThreads
import Testing

@testable import AtollQuery

/// No text traps, and what is accepted survives printing.
@Suite(.computing) struct FuzzTests {
  private func check(_ text: String) {
    do throws(QuerySyntaxError) {
      let request = try QuerySyntax.parse(text)
      let printed = request.description
      #expect(throws: Never.self, "\(text) printed as \(printed)") {
        let again = try QuerySyntax.parse(printed)
        #expect(again == request, "\(text) printed as \(printed)")
      }
    } catch {
      #expect(error.byteOffset >= 0 && error.byteOffset <= text.utf8.count)
      #expect(error.line >= 1 && error.column >= 1)
      #expect(error.description.contains(error.caret))
      #expect(error.description.utf8.count < 1_500)
      #expect(!error.expected.isEmpty || error.hint != nil, "\(text): \(error) does not help")
    }
  }

  @Test(arguments: 0..<50 as Range<UInt64>)
  func randomBytesNeverTrap(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    for _ in 0..<100 {
      let count = Int.random(in: 0..<60, using: &random)
      let bytes = (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &random) }
      check(String(decoding: bytes, as: UTF8.self))
    }
  }

  @Test(arguments: 0..<50 as Range<UInt64>)
  func randomTokensNeverTrap(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let pieces =
      Keyword.allCases.map(\.rawValue) + Token.AtWord.allCases.map { "@\($0.rawValue)" } + [
        "(", ")", "{", "}", "[", "]", "[c]", ",", ".", "+", "-", "*", "/", "=", "==", "!=", "<",
        ">",
        "&&", "||", "!", "a", "$v", "$0", "$K0", "1", "-1", "1.5", "0x1", "'x'", "\"", "'", "\\",
        "B64\"QQ==\"", "B64\"", "uuid(", "oid(", "T1:1", "2017-1-1@0:0:0", "T", ":", "@", "#", "%@",
        "SUBQUERY(a, $v, a == 1).@count", "a == 1", "a.b", " ", "\n", "é", "🛶", "f", "e5",
      ]
    for _ in 0..<200 {
      let separator = Bool.random(using: &random) ? " " : ""
      let count = Int.random(in: 1..<14, using: &random)
      check(
        (0..<count).map { _ in pieces[Int.random(in: 0..<pieces.count, using: &random)] }
          .joined(separator: separator))
    }
  }

  /// Accepted texts with a few bytes removed, doubled, changed or exchanged.
  @Test(arguments: Corpus.accepted)
  func damagedQueriesNeverTrap(text: String) {
    var random = SplitMix64(seed: UInt64(text.utf8.count))
    for _ in 0..<60 {
      var bytes = Array(text.utf8)
      for _ in 0..<Int.random(in: 1..<4, using: &random) where !bytes.isEmpty {
        let index = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<5, using: &random) {
        case 0: bytes.remove(at: index)
        case 1: bytes.insert(bytes[index], at: index)
        case 2: bytes[index] = UInt8.random(in: 0x20..<0x7F, using: &random)
        case 3: bytes.swapAt(index, Int.random(in: 0..<bytes.count, using: &random))
        default: bytes.removeLast(Int.random(in: 0..<bytes.count, using: &random))
        }
      }
      check(String(decoding: bytes, as: UTF8.self))
    }
  }

  /// Every text that ends too early: each must be refused or be a query of its own.
  @Test(arguments: Corpus.accepted)
  func cutQueriesNeverTrap(text: String) {
    let bytes = Array(text.utf8)
    for end in bytes.indices {
      check(String(decoding: bytes[..<end], as: UTF8.self))
    }
  }
}
