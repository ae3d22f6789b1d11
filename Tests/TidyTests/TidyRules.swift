import TestSupport

/// Rules of the sources that no formatter knows; each gives the places where it is broken.
enum TidyRules {
  /// The only folders whose files touch memory by hand, with what for.
  static let unsafeFolders = [
    "Sources/AtollStorage/File": "system calls, mapped files",
    "Sources/AtollStorage/Coordination": "memory shared by processes",
    "Sources/AtollStorage/Page": "pages as they lie in the mapped file, liblz4",
    "Sources/AtollStorage/Read": "pages of the mapped file and of the cache",
    "Sources/AtollStorage/Transaction": "lending pages to the file for writing",
    "Sources/AtollObjects/Column": "vectors and row groups as they lie in a page",
    "Sources/AtollObjects/Build": "vectors as they will lie in a page",
    "Sources/AtollObjects/Catalogue": "pages that move",
    "Sources/AtollObjects/List": "keys of maps as they lie in a page",
    "Sources/AtollObjects/RowGroup": "row groups as they lie in a page",
    "Sources/AtollObjects/Index": "entries that are sorted and merged",
    "Sources/AtollObjects/Index/Leaf": "index leaves as they lie in a page",
    "Sources/AtollObjects/Order": "comparison of bytes",
    "Sources/AtollObjects/Table": "row groups that are kept open",
    "Sources/AtollObjects/TextSearch": "the bytes of tokens",
    "Sources/AtollObjects/Value": "loading integers from spans",
    "Sources/AtollObjects/Write":
      "the object at hand, without checks of exclusive access; the bytes of a way into a value",
    "Sources/AtollQuery/Predicate": "comparison of bytes",
    "Sources/AtollQuery/Leaf": "bits and counts of the rows of leaves",
    "Sources/AtollQuery/Scan": "scans of vectors",
    "Sources/AtollQuery/Test": "blocks of numbers, and bits of rows",
    "Sources/AtollQuery/Sort": "entries of a sort",
    "Sources/AtollQuery/Group": "entries of groups",
    "Sources/AtollImport/Input": "system calls",
    "Sources/Atoll/Notification": "observers that cross to where their realm is confined",
    "Sources/AtollServer/System": "system calls",
    "Sources/Atoll/Realm/Observers": "observers that cross to where their realm is confined",
    "Sources/Atoll/Realm/Model":
      "properties at their offsets: reflection costs microseconds an object",
    "Sources/AtollCommand/System": "system calls",
    "Sources/simulate/Network": "sockets",
  ]

  static func unsafeOutsideItsFolders(_ text: SourceTree.Text) -> [String] {
    guard unsafeFolders[text.folder] == nil else { return [] }
    return findings(text, mentioning: ["nsafe"]) { code in
      code.contains("unsafe ") || code.contains("@unsafe") || code.contains("(unsafe)")
        || code.contains("Unsafe") && code.contains("Pointer")
    }
  }

  /// Where randomness begins: the file's id, and the mark of a process in the lock file.
  static let sourcesOfRandomness: Set = [
    "Sources/AtollObjects/Transaction/Database.swift",
    "Sources/AtollStorage/File/SystemCalls.swift",
  ]

  static func clockOrRandomness(_ text: SourceTree.Text) -> [String] {
    let words = ["Date()", "Date.now", ".random(", "SystemRandomNumberGenerator"]
    return findings(text, mentioning: words) { code in
      if ["Date()", "Date.now"].contains(where: { containsWord($0, in: code) }) { return true }
      // A type's own; what a caller has given is a value's.
      if code.contains(/\b[A-Z]\w*\.random\(/), !code.contains("using:") { return true }
      return code.contains("SystemRandomNumberGenerator")
        && !sourcesOfRandomness.contains(text.path)
    }
  }

  /// Whether `word` stands in the code and not at the end of a longer name.
  private static func containsWord(_ word: String, in code: Substring) -> Bool {
    code.ranges(of: word).contains { range in
      guard range.lowerBound > code.startIndex else { return true }
      return !code[code.index(before: range.lowerBound)].isLetter
    }
  }

  /// Functions that run where their caller runs, by `nonisolated(nonsending)`, and throw.
  ///
  /// With Swift 6.3.1 an error of theirs may arrive elsewhere (swiftlang/swift, issue 88259); with an
  /// isolated parameter it does not.
  static func errorsThatMayArriveElsewhere(_ text: SourceTree.Text) -> [String] {
    guard text.mentions(["(nonsending)"]) else { return [] }
    let lines = text.lines
    return lines.indices.filter { index in
      guard code(lines[index]).contains("(nonsending)") else { return false }
      let head = lines[index...].prefix(8).map { code($0) }.joined(separator: " ")
      return head.prefix { $0 != "{" }.contains("throws")
    }.map { "\(text.path):\($0 + 1)" }
  }

  static func leftovers(_ text: SourceTree.Text) -> [String] {
    let marks = ["FIX" + "ME", "TO" + "DO", "X" + "XX"]
    return places(text, mentioning: marks) { line in
      marks.contains { mark in
        line.split { !$0.isLetter }.contains { $0 == mark }
      }
    }
  }

  /// Lines between which a merge left two texts.
  static func conflicts(_ text: SourceTree.Text) -> [String] {
    let marks = ["<<<<<<< ", ">>>>>>> ", "||||||| "]
    return places(text, mentioning: marks) { line in marks.contains { line.hasPrefix($0) } }
  }

  /// A reason is a comment within two lines, or one within four that names the conformance.
  static func uncheckedSendableWithoutReason(_ text: SourceTree.Text) -> [String] {
    let conformance = "@unchecked" + " Sendable"
    guard text.mentions([conformance]) else { return [] }
    let lines = text.lines
    return lines.indices.filter { index in
      guard code(lines[index]).contains(conformance) else { return false }
      return !lines.indices.contains { other in
        guard abs(other - index) <= 4, let comment = lines[other].firstRange(of: "//") else {
          return false
        }
        let words = lines[other][comment.upperBound...]
        if words.contains("Sendable") || words.contains("SAFETY") { return true }
        return abs(other - index) <= 2 && !words.hasPrefix("/")
      }
    }.map { "\(text.path):\($0 + 1)" }
  }

  /// Suites that do not say which threads their tests take.
  static func suitesWithoutThreads(_ text: SourceTree.Text) -> [String] {
    guard text.mentions(["@Suite"]) else { return [] }
    let lines = text.lines
    return lines.indices.filter { index in
      let line = lines[index]
      guard line.hasPrefix("@Suite") || line.hasPrefix("@MainActor @Suite") else { return false }
      // To the line with the declaration, which may be the same.
      let declarations = ["struct ", "class ", "actor ", "enum "]
      let end = lines[index...].firstIndex { line in declarations.contains { line.contains($0) } }
      let traits = lines[index...(end ?? index)].joined(separator: " ")
        .split { " (),".contains($0) }
      return traits.count { $0 == ".computing" || $0 == ".waiting" } != 1
    }.map { "\(text.path):\($0 + 1)" }
  }

  /// Words that belong to how the project was made, or to hosts that it does not use.
  static let forbiddenWords = [
    "/wo" + "rk/", "issues sh" + "ow", "sub-ag" + "ent", "subag" + "ent", "this workpl" + "ace",
    "pypi" + ".org", "npmjs" + ".org", "crates" + ".io", "proxy.gol" + "ang.org",
    "rubygems" + ".org", "conda" + ".anaconda", "artifact" + "ory", "realm-core/s" + "rc",
  ]

  static func forbidden(_ text: SourceTree.Text) -> [String] {
    places(text.lowercased, mentioning: forbiddenWords) { line in
      forbiddenWords.contains { line.contains($0) }
    }
  }

  // MARK: Links

  /// Links of a document that lead nowhere: `[…](path)`, `[…](#heading)`, `[…](path#heading)`; and
  /// paths of the package in backticks that do not exist.
  static func deadLinks(
    _ text: SourceTree.Text, exists: (String) -> Bool, headings: (String) throws -> Set<String>
  ) rethrows -> [String] {
    var dead: [String] = []
    var isCode = false
    for (number, line) in zip(1..., text.lines) {
      if line.hasPrefix("```") { isCode.toggle() }
      if isCode { continue }
      for target in targets(of: line) where !target.contains("://") {
        let parts = target.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        let path = parts[0].isEmpty ? text.path : String(parts[0])
        var isDead = !exists(path)
        if !isDead, parts.count == 2 {
          isDead = try !headings(path).contains(String(parts[1]))
        }
        if isDead { dead.append("\(text.path):\(number): \(target)") }
      }
      let words = line.split(separator: "`", omittingEmptySubsequences: false)
      for (index, quoted) in words.enumerated() where index % 2 == 1 {
        let isPath =
          ["Sources/", "Tests/", "Benchmarks/", ".ci/"].contains { quoted.hasPrefix($0) }
          && !quoted.contains("*") && !quoted.contains(" ")
        if isPath, !exists(String(quoted)) { dead.append("\(text.path):\(number): \(quoted)") }
      }
    }
    return dead
  }

  private static func targets(of line: Substring) -> [String] {
    var targets: [String] = []
    var rest = line
    while let open = rest.firstRange(of: "](") {
      rest = rest[open.upperBound...]
      guard let close = rest.firstIndex(of: ")") else { break }
      targets.append(String(rest[..<close]))
      rest = rest[close...]
    }
    return targets
  }

  /// The anchors of a document's headings, as code hosts make them.
  static func anchors(_ text: SourceTree.Text) -> Set<String> {
    Set(
      text.lines.filter { $0.hasPrefix("#") }.map { line in
        let title = line.drop { $0 == "#" || $0 == " " }.lowercased()
        return title.filter { $0.isLetter || $0.isNumber || $0 == " " || $0 == "-" || $0 == "_" }
          .replacing(" ", with: "-")
      })
  }

  // MARK: Lines

  /// The line without its comment.
  static func code(_ line: Substring) -> Substring {
    line.firstRange(of: "//").map { line[..<$0.lowerBound] } ?? line
  }

  /// The lines whose code is broken, of a text that has one of `words`.
  private static func findings(
    _ text: SourceTree.Text, mentioning words: [String], _ isBroken: (Substring) -> Bool
  ) -> [String] {
    places(text, mentioning: words) { isBroken(code($0)) }
  }

  /// The broken lines of a text that has one of `words`; whole texts are searched much faster.
  private static func places(
    _ text: SourceTree.Text, mentioning words: [String], _ isBroken: (Substring) -> Bool
  ) -> [String] {
    guard text.mentions(words) else { return [] }
    let lines = text.lines
    return lines.indices.filter { isBroken(lines[$0]) }.map { "\(text.path):\($0 + 1)" }
  }
}
