internal import ArgumentParser
internal import Foundation

/// Inputs as files: one input a file, of any name.
enum FuzzInputs {
  /// The paths of files, and of what is in folders, in order.
  static func paths(in places: [String]) -> [String] {
    places.flatMap { place in
      // A path that is no folder is a file, or an error when it is read.
      let names = try? FileManager.default.contentsOfDirectory(atPath: place)
      return names.map { $0.sorted().map { "\(place)/\($0)" } } ?? [place]
    }
  }

  static func read(_ path: String) throws -> [UInt8] {
    guard let type = try? FileManager.default.attributesOfItem(atPath: path)[.type] else {
      throw ValidationError("there is no \(path)")
    }
    guard type as? FileAttributeType != .typeDirectory else {
      throw ValidationError("\(path) is a folder in a folder of inputs")
    }
    return [UInt8](try Data(contentsOf: URL(filePath: path)))
  }

  static func write(_ bytes: [UInt8], to path: String) throws {
    try Data(bytes).write(to: URL(filePath: path))
  }

  static func makeFolder(_ path: String) throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  /// Words in the notation that libFuzzer reads: a string in quotes a line.
  static func dictionary(_ words: [String]) -> [UInt8] {
    let digits = Array("0123456789ABCDEF".utf8)
    return words.flatMap { word in
      let escaped = word.utf8.flatMap { byte in
        [UInt8(ascii: "\\"), UInt8(ascii: "x"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
      return [UInt8(ascii: "\"")] + escaped + Array("\"\n".utf8)
    }
  }
}
