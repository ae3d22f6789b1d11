/// The examples of a page, and what is compiled of them.
///
/// A source marks what a page shows by lines of their own, `// Page begins here` and
/// `// Page ends here`. The page has it in a block, without the indentation of the marks.
enum CodeBlocks {
  /// The code blocks of a language in a page, each as its lines.
  static func blocks(_ language: String, in page: String) -> [[String]] {
    var blocks: [[String]] = []
    var block: [String]?
    for line in page.split(separator: "\n", omittingEmptySubsequences: false) {
      if let open = block, line == "```" {
        blocks.append(open)
        block = nil
      } else if block != nil {
        block?.append(String(line))
      } else if line == "```\(language)" {
        block = []
      }
    }
    return blocks
  }

  /// The marked parts of a source, each as its lines.
  static func parts(of source: String) -> [[String]] {
    var parts: [[String]] = []
    var part: (indentation: Int, lines: [String])?
    for line in source.split(separator: "\n", omittingEmptySubsequences: false) {
      let code = line.drop { $0 == " " }
      if code == "// Page begins here" {
        part = (line.count - code.count, [])
      } else if code == "// Page ends here", let ended = part {
        parts.append(ended.lines)
        part = nil
      } else if let begun = part {
        part?.lines.append(String(code.isEmpty ? code : line.dropFirst(begun.indentation)))
      }
    }
    return parts
  }

  /// Where the Swift examples of a page are not the marked parts of a source; nil: nowhere.
  static func difference(page: String, source: String) -> String? {
    let (shown, compiled) = (blocks("swift", in: page), parts(of: source))
    for (number, (block, part)) in zip(shown, compiled).enumerated() {
      for (line, expected) in zip(block, part) where line != expected {
        return "example \(number + 1) has '\(line)', and the source '\(expected)'"
      }
      if block.count != part.count {
        return "example \(number + 1) has \(block.count) lines, and the source \(part.count)"
      }
    }
    guard shown.count != compiled.count else { return nil }
    return "the page has \(shown.count) examples, and the source \(compiled.count)"
  }
}
