import Foundation
import TestSupport

/// The texts of the package, as the tidy rules read them.
struct SourceTree {
  struct Text: Sendable, CustomStringConvertible {
    /// Relative to the package's folder.
    let path: String
    private let content: String

    init(path: String, _ content: String) {
      self.path = path
      self.content = content
    }

    /// - Complexity: O(bytes); a rule asks `mentions` first, as most texts hold nothing of what it
    ///   looks for.
    var lines: [Substring] { content.split(separator: "\n", omittingEmptySubsequences: false) }

    var bytes: [UInt8] { Array(content.utf8) }
    var joined: String { content }

    /// Whether any of the words stands anywhere in the text, byte for byte: compiled without
    /// optimisation too, some hundred times as fast as a search line by line.
    func mentions(_ words: some Sequence<String>) -> Bool {
      content.withCString { text in words.contains { strstr(text, $0) != nil } }
    }

    /// The text with small letters, for words in any case.
    var lowercased: Text { Text(path: path, content.lowercased()) }

    var description: String { path }
    var folder: String { String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]) }
  }

  /// All texts below a folder of the package, or the file itself; none when it is not there.
  static func texts(_ path: String) throws -> [Text] {
    let absolute = "\(GoldenFiles.packageFolder)/\(path)"
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: absolute, isDirectory: &isFolder) else {
      return []
    }
    guard isFolder.boolValue else { return [Text(path: path, try GoldenFiles.text(path))] }
    return try FileManager.default.contentsOfDirectory(atPath: absolute).sorted()
      .filter { !$0.hasPrefix(".") && isText($0) }
      .flatMap { try texts("\(path)/\($0)") }
  }

  static func exists(_ path: String) -> Bool {
    FileManager.default.fileExists(atPath: "\(GoldenFiles.packageFolder)/\(path)")
  }

  static func folders(_ path: String) throws -> [String] {
    let absolute = "\(GoldenFiles.packageFolder)/\(path)"
    return try FileManager.default.contentsOfDirectory(atPath: absolute).sorted().filter { name in
      var isFolder: ObjCBool = false
      return FileManager.default.fileExists(atPath: "\(absolute)/\(name)", isDirectory: &isFolder)
        && isFolder.boolValue && !name.hasPrefix(".")
    }
  }

  /// Folders have no ending; of files only texts are read.
  private static func isText(_ name: String) -> Bool {
    guard let ending = name.split(separator: ".").dropFirst().last else { return true }
    return ["swift", "md", "c", "h", "py", "modulemap"].contains(ending)
  }
}
