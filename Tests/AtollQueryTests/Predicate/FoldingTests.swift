import AtollObjects
import Foundation
import TestSupport
import TestThreads
import Testing

@testable import AtollQuery

/// Folding against what Foundation and the standard library know of characters.
@Suite(.computing) struct FoldingTests {
  static let scalars: [Unicode.Scalar] = (0..<0x110000).compactMap { Unicode.Scalar($0) }

  private func folded(_ text: String, _ folding: QuerySyntax.Folding) -> String {
    String(decoding: TextFolding.folded(Array(text.utf8), folding), as: UTF8.self)
  }

  /// Lower case of one character for one, where there is such a mapping.
  private func simple(_ mapping: String) -> UInt32? {
    mapping.unicodeScalars.count == 1 ? mapping.unicodeScalars.first?.value : nil
  }

  @Test func upperAndLowerCaseOfEveryCharacterFoldAlike() {
    // Characters with a case mapping that folding does not follow: the dotless i.
    let exceptions: Set<UInt32> = [0x131]
    var casedCount = 0
    for scalar in Self.scalars where !exceptions.contains(scalar.value) {
      let own = FoldingTables.caseFolded(scalar.value)
      for mapping in [scalar.properties.lowercaseMapping, scalar.properties.uppercaseMapping] {
        // The tables are from Unicode 15; later characters fold to themselves.
        guard let other = simple(mapping), other != scalar.value,
          let age = Unicode.Scalar(other)?.properties.age, age.major <= 15,
          let ownAge = scalar.properties.age, ownAge.major <= 15
        else { continue }
        casedCount += 1
        if FoldingTables.caseFolded(other) != own {
          Issue.record("U+\(String(scalar.value, radix: 16))")
        }
      }
      if FoldingTables.caseFolded(own) != own {
        Issue.record("U+\(String(scalar.value, radix: 16))")
      }
    }
    #expect(casedCount > 2700)
  }

  @Test func accentsFallAsFoundationTakesThemApart() {
    var accentedCount = 0
    for scalar in Self.scalars {
      // Ideographs for compatibility have no accents and are left as they are.
      let isIdeograph =
        (0xF900...0xFAFF).contains(scalar.value) || (0x2F800...0x2FA1F).contains(scalar.value)
      guard !isIdeograph, let age = scalar.properties.age, age.major <= 15 else { continue }
      var expected = String.UnicodeScalarView()
      let parts = String(scalar).decomposedStringWithCanonicalMapping.unicodeScalars
      expected.append(
        contentsOf: parts.filter { $0.properties.generalCategory != .nonspacingMark })
      let found = folded(String(scalar), .ignoringDiacritics)
      if !found.utf8.elementsEqual(String(expected).utf8) {
        Issue.record("U+\(String(scalar.value, radix: 16)) gives \(found)")
      }
      if !found.utf8.elementsEqual(String(scalar).utf8) { accentedCount += 1 }
    }
    #expect(accentedCount > 12_000)
  }

  @Test(arguments: 0..<40)
  func comparingWhileFoldingIsComparingFoldedTexts(seed: Int) {
    var random = SplitMix64(seed: UInt64(seed))
    let alphabet = Array("aAbBéÉßẞKkſsŸÿѦѧ\u{301}\u{212A}İı𐐀𐐨Ⱥⱥ").map(String.init)
    for folding in QuerySyntax.Folding.allCases where folding != .exact {
      let a = (0..<Int.random(in: 0...40, using: &random))
        .map { _ in alphabet.randomElement(using: &random) ?? "" }.joined()
      let b = Bool.random(using: &random) ? a.lowercased() : a + "x"
      for (x, y) in [(a, b), (b, a), (a, a)] {
        let foldedBytes = TextFolding.folded(Array(y.utf8), folding)
        let expected = TextFolding.folded(Array(x.utf8), folding) == foldedBytes
        let found = unsafe Array(x.utf8).withUnsafeBytes { x in
          unsafe foldedBytes.withUnsafeBytes {
            unsafe TextFolding.equals(x, folded: $0, folding)
          }
        }
        #expect(found == expected)
      }
    }
  }

  @Test func bytesThatAreNoTextStayAsTheyAre() {
    let bytes: [UInt8] = [0x41, 0xFF, 0xC3, 0x42, 0xE2, 0x84, 0xF0, 0x9F]
    #expect(
      TextFolding.folded(bytes, .ignoringCaseAndDiacritics)
        == [0x61, 0xFF, 0xC3, 0x62, 0xE2, 0x84, 0xF0, 0x9F])
  }

  @Test(arguments: [15, 16, 17, 31, 32, 33])
  func blocksOfSixteenFoldLikeSingleBytes(count: Int) {
    for place in 0..<count {
      var text = Array(repeating: "Q", count: count)
      text[place] = "Å"
      #expect(
        folded(text.joined(), .ignoringCase) == text.joined().lowercased())
      #expect(
        folded(text.joined(), .ignoringDiacritics) == String(repeating: "Q", count: place)
          + "A" + String(repeating: "Q", count: count - place - 1))
    }
  }
}
