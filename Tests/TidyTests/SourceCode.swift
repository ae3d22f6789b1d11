/// The words of a text of Swift, without those of comments and texts in it.
struct SourceCode {
  struct Word {
    let text: String
    /// Whether a point stands in front, and whether a colon follows.
    let followsPoint: Bool
    let precedesColon: Bool
  }

  struct Line {
    /// How many spaces it begins with.
    let indentation: Int
    let words: [Word]
    /// Whether it begins with a word, an attribute for example too.
    let beginsWithWord: Bool

    func has(_ word: String) -> Bool { words.contains { $0.text == word } }

    /// The names after `func`, `var` and `let`.
    var declaredMembers: [String] {
      zip(words, words.dropFirst()).compactMap { keyword, name in
        ["func", "var", "let"].contains(keyword.text) ? name.text : nil
      }
    }

    /// Names that the line declares: of members, of variables, of cases, and labels.
    var declaredNames: [String] {
      // A pattern has a point there.
      if words.first?.text == "case", words.count > 1, !words[1].followsPoint {
        return words.dropFirst().map(\.text)
      }
      return declaredMembers + words.filter(\.precedesColon).map(\.text)
    }
  }

  let path: String
  let folder: String
  let lines: [Line]

  init(_ text: SourceTree.Text) {
    path = text.path
    folder = text.folder
    // As bytes in an array: compiled without optimisation too, a second for all sources.
    lines = text.bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      .map { Self.line(Array($0)) }
  }

  private static func line(_ bytes: [UInt8]) -> Line {
    var words: [Word] = []
    var indentation = 0
    while indentation < bytes.count, bytes[indentation] == UInt8(ascii: " ") { indentation += 1 }
    var place = indentation
    var isInText = false
    while place < bytes.count {
      let byte = bytes[place]
      if byte == UInt8(ascii: "\\"), isInText {
        // What follows is part of the text, whatever it is.
        place += 1
      } else if byte == UInt8(ascii: "\"") {
        isInText.toggle()
      } else if !isInText, isOfName(byte) {
        let start = place
        while place < bytes.count, isOfName(bytes[place]) { place += 1 }
        words.append(
          Word(
            text: String(decoding: bytes[start..<place], as: UTF8.self),
            followsPoint: start > 0 && bytes[start - 1] == UInt8(ascii: "."),
            precedesColon: place < bytes.count && bytes[place] == UInt8(ascii: ":")))
        continue
      } else if !isInText, byte == UInt8(ascii: "/"), place + 1 < bytes.count,
        bytes[place + 1] == byte
      {
        break
      }
      place += 1
    }
    let first = indentation < bytes.count ? bytes[indentation] : 0
    return Line(
      indentation: indentation, words: words,
      beginsWithWord: isOfName(first) || first == UInt8(ascii: "@"))
  }

  private static func isOfName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
      true
    default: false
    }
  }
}
