import AtollObjects
import Foundation

/// A JSON value of the fixtures.
indirect enum JSON: Decodable, Sendable {
  case null
  case bool(Bool)
  case int(Int64)
  case double(Double)
  case string(String)
  case array([JSON])
  case object([String: JSON])

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try? container.decode(Int64.self) {
      self = .int(value)
    } else if let value = try? container.decode(Double.self) {
      self = .double(value)
    } else if let value = try? container.decode(String.self) {
      self = .string(value)
    } else if let value = try? container.decode([JSON].self) {
      self = .array(value)
    } else {
      self = .object(try container.decode([String: JSON].self))
    }
  }

  /// The lines of a text, each a JSON value.
  static func lines(_ text: String) throws -> [JSON] {
    let decoder = JSONDecoder()
    return try text.split(separator: "\n").map {
      try decoder.decode(JSON.self, from: Data($0.utf8))
    }
  }

  var value: Value {
    switch self {
    case .null, .object: .null
    case .bool(let value): .bool(value)
    case .int(let value): .int(value)
    case .double(let value): .double(value)
    case .string(let value): .string(value)
    case .array(let values): .list(values.map(\.value))
    }
  }

  subscript(_ key: String) -> JSON {
    if case .object(let members) = self { members[key] ?? .null } else { .null }
  }

  var string: String { if case .string(let value) = self { value } else { "" } }
  var int: Int { if case .int(let value) = self { Int(value) } else { 0 } }
  var isTrue: Bool { if case .bool(let value) = self { value } else { false } }
  var array: [JSON] { if case .array(let values) = self { values } else { [] } }
}
