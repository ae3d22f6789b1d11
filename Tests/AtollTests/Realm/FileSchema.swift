import AtollObjects

@testable import Atoll

extension Realm {
  /// Whether the file, in the version that is read, has a class, and this property of it.
  func fileHas(_ className: String, _ property: String? = nil) -> Bool {
    guard let table = context.schema.table(className) else { return false }
    return property.map { table.column($0) != nil } ?? true
  }
}
