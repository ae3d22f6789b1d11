import Foundation
import GRDB

/// The values of a `Sample`, as a record.
///
/// The records are `Codable`, as the manual of GRDB makes them. Where it leaves a choice they take
/// what costs SQLite least: integers as keys, and dates as numbers.
struct SampleRecord: Codable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "sample"

  var id: Int
  var name: String
  var count: Int
  var ratio: Double
  var isOpen: Bool
}

/// The values of a `Wide`, as a record; its key is a number that SQLite gives.
struct WideRecord: Codable, PersistableRecord {
  static let databaseTableName = "wide"

  var id: Int?
  var name: String
  var city: String
  var age: Int
  var height: Double
  var isMember: Bool
  var born: Date
  var score: Int?
  var note: String?

  static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy {
    .timeIntervalSince1970
  }
}
