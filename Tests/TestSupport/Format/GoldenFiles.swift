import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The files that a release wrote, and Format.md, which shows their bytes.
///
/// With `ATOLL_WRITE_GOLDEN=1` in the environment the tests rewrite both instead of comparing:
///
///     ATOLL_WRITE_GOLDEN=1 swift test --filter Golden
///
/// Files of a released format are never written again; a new format adds files of its own.
package enum GoldenFiles {
  /// Whether this run writes.
  package static let isWriting = getenv("ATOLL_WRITE_GOLDEN") != nil

  /// The folder that holds Package.swift.
  package static let packageFolder: String = {
    // This file lies in Tests/TestSupport/Format.
    var path = #filePath[...]
    for _ in 0..<4 { path = path[..<(path.lastIndex(of: "/") ?? path.startIndex)] }
    return String(path)
  }()

  private static let formatText = Mutex(())

  /// Reads a whole file, as a path in the package's folder.
  package static func read(_ path: String) throws -> [UInt8] {
    guard let file = fopen("\(packageFolder)/\(path)", "rb") else {
      throw FormatError("\(path) cannot be read")
    }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = fread(&buffer, 1, buffer.count, file)
      if count == 0 { return bytes }
      bytes += buffer[..<count]
    }
  }

  package static func text(_ path: String) throws -> String {
    String(decoding: try read(path), as: UTF8.self)
  }

  package static func write(_ bytes: [UInt8], to path: String) throws {
    try write(bytes, toAbsolute: "\(packageFolder)/\(path)")
  }

  package static func write(_ bytes: [UInt8], toAbsolute path: String) throws {
    guard let file = fopen(path, "wb") else {
      throw FormatError("\(path) cannot be written")
    }
    defer { fclose(file) }
    guard fwrite(bytes, 1, bytes.count, file) == bytes.count else {
      throw FormatError("\(path) cannot be written")
    }
  }

  /// The lines of the code block that follows `<!-- dump NAME -->` in Format.md.
  package static func dump(_ name: String) throws -> [String] {
    let text = try formatText.withLock { _ in try Self.text("Format.md") }
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    guard let marker = lines.firstIndex(of: "<!-- dump \(name) -->"),
      marker + 1 < lines.count, lines[marker + 1] == "```text",
      let end = lines[(marker + 2)...].firstIndex(of: "```")
    else { throw FormatError("Format.md has no dump '\(name)'") }
    return lines[(marker + 2)..<end].map(String.init)
  }

  /// Puts lines in the place of that code block.
  package static func setDump(_ name: String, _ dump: [String]) throws {
    try formatText.withLock { _ in
      var lines = try text("Format.md").split(separator: "\n", omittingEmptySubsequences: false)
        .map(String.init)
      guard let marker = lines.firstIndex(of: "<!-- dump \(name) -->"),
        let end = lines[(marker + 2)...].firstIndex(of: "```")
      else { throw FormatError("Format.md has no dump '\(name)'") }
      lines.replaceSubrange(marker + 2..<end, with: dump)
      try write(Array(lines.joined(separator: "\n").utf8), to: "Format.md")
    }
  }
}
