/// Changes of files as `git diff` prints them, read to tell whether they can be applied.
struct UnifiedDiff: Equatable {
  /// Lines that follow each other, before and after the change.
  struct Hunk: Equatable {
    /// The line of the file that it begins at, from 1.
    let line: Int
    /// How many lines it says it has.
    let oldCount: Int
    let newCount: Int
    /// What has to be in the file: what stays and what is removed.
    var old: [Substring] = []
    /// What is there afterwards: what stays and what is added.
    var new: [Substring] = []

    init(line: Int, oldCount: Int, newCount: Int) {
      self.line = line
      self.oldCount = oldCount
      self.newCount = newCount
    }

    /// Whether more of its lines follow.
    var isOpen: Bool { old.count < oldCount || new.count < newCount }
    /// Whether it has the lines that it says.
    var isWhole: Bool { old.count == oldCount && new.count == newCount }
  }

  /// The changes of one file.
  struct File: Equatable {
    /// Relative to the package's folder.
    let path: String
    var hunks: [Hunk] = []
  }

  private(set) var files: [File] = []

  // MARK: Reading

  /// Reads what is between other lines, such as those of a head.
  init(_ lines: some Sequence<Substring>) {
    var isInHunk = false
    for line in lines {
      if isInHunk, take(line) {
        isInHunk = files.last?.hunks.last?.isOpen ?? false
        continue
      }
      isInHunk = false
      if line.hasPrefix("--- ") {
        files.append(File(path: Self.path(line)))
      } else if let hunk = Self.hunk(line), !files.isEmpty {
        files[files.count - 1].hunks.append(hunk)
        isInHunk = hunk.isOpen
      }
    }
  }

  /// The path in `--- a/Sources/File.swift`.
  private static func path(_ line: Substring) -> String {
    let path = line.dropFirst(4).prefix { $0 != "\t" }
    return String(path.hasPrefix("a/") ? path.dropFirst(2) : path)
  }

  /// The beginning of a hunk, `@@ -12,7 +12,8 @@`; a count that is not there is 1.
  private static func hunk(_ line: Substring) -> Hunk? {
    guard let match = line.prefixMatch(of: /@@ -(\d+)(?:,(\d+))? \+\d+(?:,(\d+))? @@/),
      let number = Int(match.1)
    else { return nil }
    return Hunk(
      line: number, oldCount: match.2.flatMap { Int($0) } ?? 1,
      newCount: match.3.flatMap { Int($0) } ?? 1)
  }

  /// Takes a line of the last hunk; false when it is none.
  private mutating func take(_ line: Substring) -> Bool {
    let file = files.count - 1
    let hunk = files[file].hunks.count - 1
    let text = line.dropFirst()
    // An empty line is one of which an editor has removed the blank.
    switch line.first ?? " " {
    case " ":
      files[file].hunks[hunk].old.append(text)
      files[file].hunks[hunk].new.append(text)
    case "-": files[file].hunks[hunk].old.append(text)
    case "+": files[file].hunks[hunk].new.append(text)
    // "No newline at end of file".
    case "\\": break
    default: return false
    }
    return true
  }

  // MARK: Applying

  /// Why the changes cannot be applied, by file and hunk; none when they can.
  ///
  /// `lines`: those of a file; nil when there is no such file.
  func problems(in lines: (String) throws -> [Substring]?) rethrows -> [String] {
    guard files.contains(where: { !$0.hunks.isEmpty }) else { return ["it changes nothing"] }
    var problems: [String] = []
    for file in files {
      guard let text = try lines(file.path) else {
        problems.append("\(file.path) is not there")
        continue
      }
      for (index, hunk) in file.hunks.enumerated() {
        guard let problem = hunk.problem(in: text) else { continue }
        problems.append("\(file.path), hunk \(index + 1): \(problem)")
      }
    }
    return problems
  }
}

extension UnifiedDiff.Hunk {
  /// Why the hunk cannot be applied to a file; nil when its lines are where it says, or in one other
  /// place.
  func problem(in text: [Substring]) -> String? {
    guard isWhole else { return "it has more or fewer lines than it says" }
    guard old != new else { return "it changes nothing" }
    if isAt(max(0, line - 1), of: text) { return nil }
    let count = text.indices.count { isAt($0, of: text) }
    switch count {
    case 0: return "its lines are not in the file"
    case 1: return nil
    default: return "its lines are in \(count) places, and not at line \(line)"
    }
  }

  private func isAt(_ index: Int, of text: [Substring]) -> Bool {
    index + old.count <= text.count && text[index..<(index + old.count)].elementsEqual(old)
  }
}
